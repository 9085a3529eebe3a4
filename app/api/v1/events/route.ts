import { pageSchema } from "@/lib/base/page.ts";
import { listEvents } from "@/lib/events/queries.ts";
import { eventQuerySchema, eventSchema } from "@/lib/events/schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "events:read",
      summary: "The organization's history, newest first",
      query: eventQuerySchema,
      output: pageSchema(eventSchema),
    },
    ({ caller, query }) => within(caller, (organizationId, tx) => listEvents(organizationId, tx, query)),
  ),
});
