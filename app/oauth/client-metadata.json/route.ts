import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { clientMetadata, metadataDocumentUrl } from "@/lib/mcp/oauth/oauth-client.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

/**
 * The client metadata document, for authorization servers that accept one instead of a registration. Names no
 * tenant.
 */
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
