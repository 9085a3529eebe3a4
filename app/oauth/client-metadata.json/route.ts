import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { clientMetadata, sharedCallbackUrl } from "@/lib/mcp/oauth/oauth-client.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

/**
 * The client metadata document of before issuers had their own: the grants made with it are renewed under its
 * address. No sign-in begins with it. Names no tenant.
 */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "Intray's OAuth client metadata document for grants made by earlier versions",
      output: z.record(z.string(), z.unknown()),
    },
    async () => {
      const { url } = env();
      const clientId = `${url}/oauth/client-metadata.json`;
      return { client_id: clientId, ...clientMetadata(url, sharedCallbackUrl(url), "none") };
    },
  ),
});
