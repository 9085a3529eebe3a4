import { listTaskReads } from "@/lib/tasks/access-log/access-log-reads.ts";
import { readsQuerySchema, readsSchema } from "@/lib/tasks/access-log/access-log-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "Who looked at a task, newest first; for who asked for it, and admins",
      params: idParams,
      query: readsQuerySchema,
      output: readsSchema,
    },
    ({ caller, params, query }) =>
      within(caller, (tx, principal) => listTaskReads(tx, principal, params.id, query)),
  ),
});
