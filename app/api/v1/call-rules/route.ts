import { showCallRules } from "@/lib/policy/call-rules/call-rule-reads.ts";
import { callRulesInputSchema, callRulesSchema } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { saveCallRules } from "@/lib/policy/call-rules/call-rule-writes.ts";
import { readVersion, versionHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "settings:manage", summary: "The rules for calls, and their version", output: callRulesSchema },
    async ({ caller, reply }) => {
      const rules = await within(caller, showCallRules);
      reply.headers.set("etag", `"${rules.version}"`);
      return rules;
    },
  ),
  PUT: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Replace the rules for calls: which calls are allowed, denied, or need an approval",
      body: callRulesInputSchema,
      output: callRulesSchema,
      headers: versionHeader,
      errors: ["version_changed", "version_required"],
    },
    async ({ caller, body, request, reply }) => {
      const version = readVersion(request);
      const rules = await within(caller, async (tx, principal) => {
        await saveCallRules(tx, principal, version, body);
        return showCallRules(tx);
      });
      reply.headers.set("etag", `"${rules.version}"`);
      return rules;
    },
  ),
});
