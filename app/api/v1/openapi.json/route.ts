import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { openapi } from "@/lib/web/http/openapi.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { paths } from "./paths.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "This description. It names no organization",
      output: z.record(z.string(), z.unknown()),
    },
    async () => new Response(await described(), { headers: { "content-type": "application/json" } }),
  ),
});

let made: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** Made once a process: to write it takes as long as hundreds of other calls, and anybody may ask for it. */
function described(): Promise<Uint8Array<ArrayBuffer>> {
  made ??= openapi({ ...paths, "/api/v1/openapi.json": { GET } }, env().url).then((description) =>
    new TextEncoder().encode(JSON.stringify(description)),
  );
  return made;
}
