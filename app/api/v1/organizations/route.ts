import { z } from "zod";
import { listedOrganizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "any",
      whileRefused: true,
      summary: "Your organizations, and your role in each; an API key has one",
      output: z.object({ items: z.array(listedOrganizationSchema) }),
    },
    async ({ caller: { sessionId, me } }) => ({
      items: sessionId
        ? await organizationsOfSession(sessionId)
        : [{ ...me.organization, role: me.role, refusal: null, providers: [] }],
    }),
  ),
});
