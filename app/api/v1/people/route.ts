import { z } from "zod";
import { listAnswerers } from "@/lib/people/members/member-reads.ts";
import { answererQuerySchema, answererSchema } from "@/lib/people/members/member-schema.ts";
import { ableToHave } from "@/lib/requests/claims/recipient.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "people:find",
      summary:
        "Members who may answer, by name; with `inputRequestId` only those who can get this request; at most 50",
      query: answererQuerySchema,
      output: z.object({ items: z.array(answererSchema) }),
    },
    async (tx, { caller, query }) => ({
      items: await listAnswerers(
        tx,
        query.q,
        query.inputRequestId === undefined ? undefined : ableToHave(caller.principal, query.inputRequestId),
      ),
    }),
  ),
});
