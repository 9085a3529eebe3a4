import { z } from "zod";
import { listAnswerers } from "@/lib/people/members/member-reads.ts";
import { answererQuerySchema, answererSchema } from "@/lib/people/members/member-schema.ts";
import { ableToHave } from "@/lib/requests/claims/recipient.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "people:find",
      summary:
        "Members who may answer, by name; with `inputRequestId` those who can be given that request; at most 50",
      query: answererQuerySchema,
      output: z.object({ items: z.array(answererSchema) }),
    },
    ({ caller, query }) =>
      within(caller, async (tx) => ({
        items: await listAnswerers(
          tx,
          query.q,
          query.inputRequestId === undefined ? undefined : ableToHave(caller.principal, query.inputRequestId),
        ),
      })),
  ),
});
