import { z } from "zod";
import { organizationsOf } from "@/lib/organizations/queries.ts";
import { ownOrganizationSchema } from "@/lib/organizations/schema.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "any",
      summary: "The organizations that one is a member of, and as what; an API key has its own",
      output: z.object({ items: z.array(ownOrganizationSchema) }),
    },
    async ({ caller: { principal, me } }) => ({
      items: principal.userId
        ? await organizationsOf(await database(), principal.userId)
        : [{ ...me.organization, role: me.role }],
    }),
  ),
});
