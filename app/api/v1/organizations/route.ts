import { z } from "zod";
import { listedOrganizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "any",
      whileRefused: true,
      summary: "The organizations that one is a member of, and as what; an API key has its own",
      output: z.object({ items: z.array(listedOrganizationSchema) }),
    },
    async ({ caller: { sessionId, me } }) => ({
      items: sessionId
        ? await organizationsOfSession(sessionId)
        : [{ ...me.organization, role: me.role, refusal: null, providers: [] }],
    }),
  ),
});
