import { countOpenRequests } from "@/lib/requests/lists/list.ts";
import { requestCountsSchema, requestFilterSchema } from "@/lib/requests/lists/request-list-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      inKeyScope: true,
      inView: true,
      summary:
        "How many open requests wait for the caller, are the caller's, are unassigned, and exist, with the filters of the list",
      query: requestFilterSchema,
      output: requestCountsSchema,
    },
    (tx, { principal, query }) => countOpenRequests(tx, principal, query),
  ),
});
