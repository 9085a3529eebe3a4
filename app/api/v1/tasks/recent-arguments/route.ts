import { listRecentArguments } from "@/lib/tasks/recent-arguments-reads.ts";
import { recentArgumentsQuerySchema, recentArgumentsSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:start",
      summary: "What you called a tool with lately, newest first",
      query: recentArgumentsQuerySchema,
      output: recentArgumentsSchema,
    },
    ({ caller, query }) => within(caller, (tx, principal) => listRecentArguments(tx, principal, query)),
  ),
});
