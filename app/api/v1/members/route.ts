import { listMembers } from "@/lib/members/queries.ts";
import { memberSchema } from "@/lib/members/schema.ts";
import { pageQuerySchema, pageSchema } from "@/lib/page.ts";
import { endpoint, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "members:manage",
      summary: "Members, in the order in which they joined",
      query: pageQuerySchema,
      output: pageSchema(memberSchema),
    },
    ({ caller, query }) => within(caller, (organizationId, tx) => listMembers(organizationId, tx, query)),
  ),
});
