import { z } from "zod";
import { issuerKeyPattern } from "@/lib/mcp/oauth/oauth-client.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { arrive } from "../arrive.ts";

/** The redirect URI of one authorization server. */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "none",
      summary: "The way back from one authorization server, for browsers",
      params: z.object({ issuer: z.string().regex(issuerKeyPattern) }),
      status: 303,
    },
    ({ request }) => arrive(request),
  ),
});
