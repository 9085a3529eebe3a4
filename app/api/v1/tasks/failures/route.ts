import { groupFailures } from "@/lib/tasks/failure-reads.ts";
import { failureGroupsSchema, taskFilterSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      inView: true,
      summary:
        "Failed, lost and expired tasks by cause: of the last 5,000 that match, the largest groups first",
      query: taskFilterSchema.omit({ attention: true }),
      output: failureGroupsSchema,
    },
    ({ caller, query }) => within(caller, (tx, principal) => groupFailures(tx, principal, query)),
  ),
});
