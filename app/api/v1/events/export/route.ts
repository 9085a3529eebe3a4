import { exportedLines } from "@/lib/history/events/event-reads.ts";
import { exportedEventSchema } from "@/lib/history/events/event-schema.ts";
import { appendEvents } from "@/lib/history/events/event-writes.ts";
import { ofHiddenTask } from "@/lib/tasks/visibility.ts";
import { streamOf, withinStill } from "@/lib/web/exports/pieces.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "events:read",
      stepUp: true,
      namedByKeys: true,
      summary: "The whole history, one JSON object a line, oldest first",
      output: exportedEventSchema,
      mediaType: "application/x-ndjson",
      leavesTrace: true,
    },
    async ({ caller, request }) => {
      await within(caller, (tx, { actor }) => appendEvents(tx, [{ type: "events.exported", actor }]));
      const lines = exportedLines((work) => withinStill(caller, request, (tx) => work(tx)), {
        hidden: ofHiddenTask(caller.principal),
      });
      return new Response(streamOf(lines), {
        headers: {
          "content-type": "application/x-ndjson",
          "content-disposition": `attachment; filename="${caller.me.organization.slug}-events.ndjson"`,
        },
      });
    },
  ),
});
