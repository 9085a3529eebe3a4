import { listAttempts } from "@/lib/tasks/task-reads.ts";
import { attemptsSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "The attempts at a call, the first one first",
      params: idParams,
      output: attemptsSchema,
    },
    ({ caller, params }) => within(caller, (tx, principal) => listAttempts(tx, principal, params.id)),
  ),
});
