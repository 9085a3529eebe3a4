import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { clientMetadata, documentCallbackUrl, issuerKeyPattern } from "@/lib/mcp/oauth/oauth-client.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

/**
 * The client metadata document for one issuer, which is known by its key alone. For authorization servers that
 * accept a document instead of a registration. Names no tenant.
 */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Intray's OAuth client metadata document for one issuer; its address is the client id",
      params: z.object({ issuer: z.string().regex(issuerKeyPattern) }),
      output: z.record(z.string(), z.unknown()),
    },
    async ({ params }) => {
      const { url } = env();
      const redirectUri = documentCallbackUrl(url, params.issuer);
      return {
        client_id: `${url}/oauth/client-metadata/${params.issuer}`,
        ...clientMetadata(url, redirectUri, "none"),
      };
    },
  ),
});
