import { listTaskReads } from "@/lib/tasks/access-log/access-log-reads.ts";
import { readsQuerySchema, readsSchema } from "@/lib/tasks/access-log/access-log-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "The access log of a task, newest first; for its requester and admins",
      params: idParams,
      query: readsQuerySchema,
      output: readsSchema,
    },
    ({ caller, params, query }) =>
      within(caller, (tx, principal) => listTaskReads(tx, principal, params.id, query)),
  ),
});
