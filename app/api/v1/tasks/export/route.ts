import { exportedTasks, taskExportSchema } from "@/lib/tasks/task-export.ts";
import { taskSchema } from "@/lib/tasks/task-schema.ts";
import { streamOf, withinStill } from "@/lib/web/exports/pieces.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

const MEDIA_TYPES = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" };

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      stepUp: true,
      inKeyScope: true,
      leavesTrace: true,
      summary: "A list of tasks as a file: one JSON object a line, or a table with `format=csv`",
      query: taskExportSchema,
      output: taskSchema,
      mediaType: "application/x-ndjson",
    },
    async ({ caller, query, request }) => {
      const { principal, me } = caller;
      const lines = exportedTasks(principal, query, (work) => withinStill(caller, request, (tx) => work(tx)));
      return new Response(streamOf(lines), {
        headers: {
          "content-type": MEDIA_TYPES[query.format],
          "content-disposition": `attachment; filename="${me.organization.slug}-tasks.${query.format}"`,
        },
      });
    },
  ),
});
