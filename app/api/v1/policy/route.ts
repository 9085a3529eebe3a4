import { z } from "zod";
import { readPolicy } from "@/lib/policy/policy-reads.ts";
import { policyChangeSchema, savedPolicySchema } from "@/lib/policy/policy-schema.ts";
import { savePolicy } from "@/lib/policy/policy-writes.ts";
import { proposedSchema } from "@/lib/policy/proposals/proposal-schema.ts";
import { readVersion, versionHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { MAX_POLICY_VALUES } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The policy: who has to agree on which requests, and its version",
      output: savedPolicySchema,
    },
    async ({ caller, reply }) => {
      const saved = await within(caller, readPolicy);
      reply.headers.set("etag", `"${saved.version}"`);
      return saved;
    },
  ),
  PUT: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary:
        "Replace the policy. Earlier requests keep their version. If changes need a second admin, it is a proposal (202). Only an owner sets automatic rules live",
      body: policyChangeSchema,
      mostValues: MAX_POLICY_VALUES,
      output: z.union([savedPolicySchema, proposedSchema]),
      alsoStatuses: [202],
      headers: versionHeader,
      errors: ["version_changed", "version_required"],
    },
    async ({ caller, body, request, reply }) => {
      const version = readVersion(request);
      const { acknowledge, ...policy } = body;
      const { proposalId, saved } = await within(caller, async (tx, principal) => ({
        ...(await savePolicy(tx, principal, version, policy, acknowledge)),
        saved: await readPolicy(tx),
      }));
      if (proposalId !== null) {
        reply.status = 202;
        return { proposalId };
      }
      reply.headers.set("etag", `"${saved.version}"`);
      return saved;
    },
  ),
});
