import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { clientMetadata, metadataDocumentUrl } from "@/lib/mcp/oauth/oauth-client.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

/** Who Intray is, for authorization servers that read it instead of a registration. It names no tenant. */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Intray's OAuth client metadata document; its address is the client id",
      output: z.record(z.string(), z.unknown()),
    },
    async () => ({ client_id: metadataDocumentUrl(env().url), ...clientMetadata(env().url, "none") }),
  ),
});
