import { oneself, readAway } from "@/lib/policy/away/away-reads.ts";
import { awayAnswerSchema, awayInputSchema } from "@/lib/policy/away/away-schema.ts";
import { endAway, setAway } from "@/lib/policy/away/away-writes.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "account:use",
      summary: "When you are away, and who stands in for you (null: not set); members only",
      output: awayAnswerSchema,
    },
    (tx, { principal }) => readAway(tx, oneself(principal)),
  ),
  PUT: tenantRoute(
    {
      auth: "requests:answer",
      stepUp: true,
      summary: "Set when you are away, and who stands in for you; members only",
      body: awayInputSchema,
      output: awayAnswerSchema,
    },
    async (tx, { principal, body }) => {
      await setAway(tx, principal, oneself(principal), body);
      return readAway(tx, oneself(principal));
    },
  ),
  DELETE: tenantRoute(
    { auth: "account:use", summary: "End your absence, also one that is still to come; members only" },
    (tx, { principal }) => endAway(tx, principal, oneself(principal)),
  ),
});
