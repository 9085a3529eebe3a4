import { listTaskReads } from "@/lib/tasks/access-log/access-log-reads.ts";
import { readsQuerySchema, readsSchema } from "@/lib/tasks/access-log/access-log-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      summary: "The access log of a task, newest first; for its requester and admins",
      params: idParams,
      query: readsQuerySchema,
      output: readsSchema,
    },
    (tx, { principal, params, query }) => listTaskReads(tx, principal, params.id, query),
  ),
});
