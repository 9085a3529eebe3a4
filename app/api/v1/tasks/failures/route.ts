import { groupFailures } from "@/lib/tasks/failure-reads.ts";
import { failureGroupsSchema, taskFilterSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inView: true,
      summary: "Failed, lost and expired tasks by cause: the last 5,000 that match, largest groups first",
      query: taskFilterSchema.omit({ attention: true }),
      output: failureGroupsSchema,
    },
    (tx, { principal, query }) => groupFailures(tx, principal, query),
  ),
});
