import { readAway } from "@/lib/policy/away/away-reads.ts";
import { awayAnswerSchema, awayInputSchema } from "@/lib/policy/away/away-schema.ts";
import { endAway, setAway } from "@/lib/policy/away/away-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "members:manage",
      summary: "When a member is away, and who stands in for them; null: nothing is set",
      params: idParams,
      output: awayAnswerSchema,
    },
    ({ caller, params }) => within(caller, (tx) => readAway(tx, { memberId: params.id })),
  ),
  PUT: route(
    {
      auth: "members:manage",
      stepUp: true,
      summary: "Set when a member is away, and who stands in for them: not oneself. By a person, not a key",
      params: idParams,
      body: awayInputSchema,
      output: awayAnswerSchema,
    },
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await setAway(tx, principal, { memberId: params.id }, body);
        return readAway(tx, { memberId: params.id });
      }),
  ),
  DELETE: route(
    {
      auth: "members:manage",
      summary: "End a member's absence, also one that is still to come",
      params: idParams,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await endAway(tx, principal, { memberId: params.id });
        return undefined;
      }),
  ),
});
