import { pageQuerySchema, searchedPageSchema } from "@/lib/base/page.ts";
import { listInputRequests } from "@/lib/requests/lists/list.ts";
import { requestListQuerySchema } from "@/lib/requests/lists/request-list-schema.ts";
import { inputRequestSchema } from "@/lib/requests/request-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      inKeyScope: true,
      inView: true,
      summary: "Requests for input, oldest first unless `order` says otherwise",
      query: pageQuerySchema.extend(requestListQuerySchema.shape),
      output: searchedPageSchema(inputRequestSchema),
      errors: ["content_sealed"],
    },
    (tx, { principal, query }) => listInputRequests(tx, principal, query),
  ),
});
