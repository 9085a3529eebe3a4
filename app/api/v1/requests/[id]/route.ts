import { env } from "@/lib/base/env.ts";
import { drainSignal } from "@/lib/base/process/lifecycle.ts";
import { readHumanRequest } from "@/lib/lifecycle/human-tasks/human-task-reads.ts";
import { requestSchema, waitQuerySchema } from "@/lib/lifecycle/human-tasks/human-task-schema.ts";
import { authenticateAgain } from "@/lib/web/auth/authenticate.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { readUntil } from "@/lib/web/live/wait.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "requests:read",
      summary: "A program's request to people. With `waitMs` the reply comes when the request has ended",
      params: idParams,
      query: waitQuerySchema,
      output: requestSchema,
      errors: ["not_found"],
    },
    ({ caller, request, params, query }) =>
      readUntil(
        {
          organizationId: caller.principal.organizationId,
          callerId: caller.principal.actor.id ?? "",
          id: params.id,
          waitMs: query.waitMs ?? 0,
          signals: [request.signal, drainSignal()],
        },
        async (isFirst) => {
          const now = isFirst ? caller : await authenticateAgain(request);
          return within(now, (tx, principal) => readHumanRequest(tx, principal, params.id, env().url));
        },
        ({ state }) => state === "ended",
      ),
  ),
});
