import { listRecentArguments } from "@/lib/tasks/recent-arguments-reads.ts";
import { recentArgumentsQuerySchema, recentArgumentsSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:start",
      summary: "The arguments with which you called a tool lately, newest first",
      query: recentArgumentsQuerySchema,
      output: recentArgumentsSchema,
    },
    (tx, { principal, query }) => listRecentArguments(tx, principal, query),
  ),
});
