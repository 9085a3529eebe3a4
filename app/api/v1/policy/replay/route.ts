import { readPolicyWithPeople } from "@/lib/policy/policy-reads.ts";
import { checked } from "@/lib/policy/policy-writes.ts";
import { type Replayed, replayPolicy } from "@/lib/requests/replay/replay.ts";
import { REPLAYED_DAYS, replayInputSchema, replayLineSchema } from "@/lib/requests/replay/replay-schema.ts";
import { oneReplay } from "@/lib/web/exports/one-at-a-time.ts";
import { streamOf, withinStill } from "@/lib/web/exports/pieces.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { MAX_POLICY_VALUES } from "@/lib/web/tunables.ts";

const DAY_MS = 24 * 3600_000;

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      summary:
        "Try a policy, the current one or a draft, on people's decisions of the last 30 days; nothing is changed. JSON lines: progress, each disagreement of an automatic rule with people, and a summary",
      body: replayInputSchema,
      mostValues: MAX_POLICY_VALUES,
      output: replayLineSchema,
      mediaType: "application/x-ndjson",
      errors: ["throttled"],
    },
    async ({ caller, body, request }) => {
      const { principal } = caller;
      const now = new Date();
      const from = body.from ? new Date(body.from) : new Date(now.getTime() - REPLAYED_DAYS * DAY_MS);
      const replayed = await within(caller, async (tx): Promise<Replayed> => {
        const inForce = await readPolicyWithPeople(tx);
        if (!body.policy && !body.rules) return inForce;
        const { tests: _, ...others } = inForce.policy;
        const draft = body.policy ?? { ...others, rules: body.rules ?? [] };
        return { version: null, ...(await checked(tx, draft)).after };
      });
      const lines = oneReplay(principal.organizationId, () =>
        replayPolicy(principal, replayed, { from, now }, (work) =>
          withinStill(caller, request, (tx) => work(tx)),
        ),
      );
      return new Response(streamOf(lines), { headers: { "content-type": "application/x-ndjson" } });
    },
  ),
});
