import { drainSignal } from "@/lib/base/process/lifecycle.ts";
import { readAapRequest } from "@/lib/lifecycle/aap/aap-reads.ts";
import { aapRequestSchema, durationMs, waitSchema } from "@/lib/lifecycle/aap/aap-schema.ts";
import { cancelAapRequest } from "@/lib/lifecycle/aap/aap-writes.ts";
import { AAP } from "@/lib/web/aap/aap.ts";
import { authenticateAgain } from "@/lib/web/auth/authenticate.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { readUntil } from "@/lib/web/live/wait.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";
import { MOST_AAP_WAIT_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      ...AAP,
      auth: "requests:read",
      summary:
        "Agent Approval Protocol: one of your own requests. With `wait`, at most `30s`, the reply comes when people have decided",
      params: idParams,
      query: waitSchema,
      output: aapRequestSchema,
    },
    ({ caller, request, params, query }) =>
      readUntil(
        {
          organizationId: caller.principal.organizationId,
          callerId: caller.principal.actor.id ?? "",
          id: params.id,
          waitMs: query.wait === undefined ? 0 : Math.min(MOST_AAP_WAIT_MS, durationMs(query.wait)),
          signals: [request.signal, drainSignal()],
        },
        async (isFirst) => {
          const now = isFirst ? caller : await authenticateAgain(request);
          return within(
            now,
            async (tx, principal) => (await readAapRequest(tx, principal, params.id)).request,
          );
        },
        ({ status }) => status !== "pending",
      ),
  ),
  DELETE: tenantRoute(
    {
      ...AAP,
      auth: "requests:ask",
      summary: "Agent Approval Protocol: withdraw one of your own requests that nobody has decided",
      params: idParams,
      output: aapRequestSchema,
    },
    (tx, { principal, params }) => cancelAapRequest(tx, principal, params.id),
  ),
});
