import { searchedPageSchema } from "@/lib/base/page.ts";
import { eventQuerySchema, listedEventSchema } from "@/lib/history/events/event-schema.ts";
import { listOrganizationEvents } from "@/lib/tasks/task-event-reads.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "events:read",
      summary:
        "The organization's history, newest first. A search with `q` looks through 10,000 lines a page, which may find none",
      query: eventQuerySchema,
      output: searchedPageSchema(listedEventSchema),
    },
    (tx, { principal, query }) => listOrganizationEvents(tx, principal, query),
  ),
});
