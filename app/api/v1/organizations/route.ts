import { z } from "zod";
import { ownOrganizationSchema } from "@/lib/organizations/schema.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "any",
      summary: "The organizations that one is a member of, and as what; an API key has its own",
      output: z.object({ items: z.array(ownOrganizationSchema) }),
    },
    async ({ caller: { principal, me, sessionId } }) => ({
      items: principal.userId
        ? await organizationsOfSession(principal.userId, me.organization.id, sessionId)
        : [{ ...me.organization, role: me.role }],
    }),
  ),
});
