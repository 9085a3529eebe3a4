import { z } from "zod";
import { countTasks } from "@/lib/tasks/queries.ts";
import { taskStateSchema } from "@/lib/tasks/schema.ts";
import { endpoint, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "Tasks in each state; 1001 means more than a thousand",
      output: z.object({ counts: z.record(taskStateSchema, z.number()) }),
    },
    async ({ caller }) => ({
      counts: await within(caller, (organizationId, tx, principal) =>
        countTasks(organizationId, tx, principal),
      ),
    }),
  ),
});
