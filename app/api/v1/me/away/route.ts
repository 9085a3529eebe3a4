import { oneself, readAway } from "@/lib/policy/away/away-reads.ts";
import { awayAnswerSchema, awayInputSchema } from "@/lib/policy/away/away-schema.ts";
import { endAway, setAway } from "@/lib/policy/away/away-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "When you are away, and who stands in for you; null: nothing is set. Members only",
      output: awayAnswerSchema,
    },
    ({ caller }) => within(caller, (tx, principal) => readAway(tx, oneself(principal))),
  ),
  PUT: route(
    {
      auth: "requests:answer",
      stepUp: true,
      summary: "Set when you are away, and who stands in for you; members only",
      body: awayInputSchema,
      output: awayAnswerSchema,
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        await setAway(tx, principal, oneself(principal), body);
        return readAway(tx, oneself(principal));
      }),
  ),
  DELETE: route({ auth: "account:use", summary: "Be back, or never away; members only" }, ({ caller }) =>
    within(caller, async (tx, principal) => {
      await endAway(tx, principal, oneself(principal));
      return undefined;
    }),
  ),
});
