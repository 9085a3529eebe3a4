import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { openapi } from "@/lib/web/http/openapi.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { namesGzip } from "@/lib/web/http/serve.ts";
import { paths } from "./paths.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "This description; it names no tenant",
      output: z.record(z.string(), z.unknown()),
    },
    async ({ request }) => {
      const { text, packed } = await described();
      const headers = { "content-type": "application/json" };
      return namesGzip(request.headers.get("accept-encoding") ?? "")
        ? new Response(packed, { headers: { ...headers, "content-encoding": "gzip" } })
        : new Response(text, { headers });
    },
  ),
});

let made: Promise<{ text: string; packed: Uint8Array<ArrayBuffer> }> | undefined;

/** Made once a process: to write and to pack it takes as long as hundreds of other calls, and anybody may ask for it. */
function described(): NonNullable<typeof made> {
  made ??= (async () => {
    const text = JSON.stringify(openapi({ ...paths, "/api/v1/openapi.json": { GET } }, env().url));
    return { text, packed: new Uint8Array(await promisify(gzip)(text)) };
  })();
  return made;
}
