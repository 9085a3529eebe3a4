import { env } from "@/lib/base/env.ts";
import { auditStreamTestSchema } from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { testAuditStream } from "@/lib/outbound/audit-streams/audit-stream-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { network, sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "audit:manage",
      summary: "Send one test line, and say whether it arrived",
      params: idParams,
      output: auditStreamTestSchema,
      errors: ["throttled"],
    },
    async ({ caller, params }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return testAuditStream(
        caller.principal.organizationId,
        (work) => within(caller, (tx) => work(tx)),
        { network: network(), seal: sealing(), own: new URL(env().url).hostname },
        params.id,
      );
    },
  ),
});
