import { tryCallRules } from "@/lib/lifecycle/try-call-rules.ts";
import { callRulesInputSchema, triedCallsSchema } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      summary: "Try rules on the latest 100 calls, except calls of more than 64 KiB; nothing is saved",
      body: callRulesInputSchema,
      output: triedCallsSchema,
    },
    ({ caller, body }) => {
      const { principal } = caller;
      return tryCallRules(principal, body, (work) => within(caller, (tx) => work(tx)));
    },
  ),
});
