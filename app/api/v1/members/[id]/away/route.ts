import { readAway } from "@/lib/policy/away/away-reads.ts";
import { awayAnswerSchema, awayInputSchema } from "@/lib/policy/away/away-schema.ts";
import { endAway, setAway } from "@/lib/policy/away/away-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "members:manage",
      summary: "When a member is away, and who stands in for them (null: not set)",
      params: idParams,
      output: awayAnswerSchema,
    },
    (tx, { params }) => readAway(tx, { memberId: params.id }),
  ),
  PUT: tenantRoute(
    {
      auth: "members:manage",
      stepUp: true,
      summary:
        "Set when a member is away, and who stands in for them. You can't choose yourself; not by a key",
      params: idParams,
      body: awayInputSchema,
      output: awayAnswerSchema,
    },
    async (tx, { principal, params, body }) => {
      await setAway(tx, principal, { memberId: params.id }, body);
      return readAway(tx, { memberId: params.id });
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "members:manage",
      summary: "End a member's absence, also one that is still to come",
      params: idParams,
    },
    (tx, { principal, params }) => endAway(tx, principal, { memberId: params.id }),
  ),
});
