import { z } from "zod";
import { phasesOf } from "@/lib/tasks/phases.ts";
import { listPhaseEvents } from "@/lib/tasks/task-event-reads.ts";
import { readLife } from "@/lib/tasks/task-reads.ts";
import { taskPhaseSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "How a task spent its time, oldest first",
      params: idParams,
      output: z.object({ phases: z.array(taskPhaseSchema) }),
    },
    async (tx, { principal, params }) => {
      const life = await readLife(tx, principal, params.id);
      const { events, cut } = await listPhaseEvents(tx, params.id);
      // Without a line of history nobody knows what a task did that is beyond its start.
      const unknown = events.length === 0 && life.state !== "queued";
      return { phases: phasesOf(events, life, cut || unknown) };
    },
  ),
});
