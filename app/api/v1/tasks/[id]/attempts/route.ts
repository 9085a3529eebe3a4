import { listAttempts } from "@/lib/tasks/task-reads.ts";
import { attemptsSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      summary: "The attempts at a call, the first one first",
      params: idParams,
      output: attemptsSchema,
    },
    (tx, { principal, params }) => listAttempts(tx, principal, params.id),
  ),
});
