import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { listItems } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import {
  bulkItemQuerySchema,
  bulkItemSchema,
} from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "The outcome of each task of a bulk operation",
      params: idParams,
      query: pageQuerySchema.extend(bulkItemQuerySchema.shape),
      output: pageSchema(bulkItemSchema),
    },
    (tx, { principal, params, query }) => listItems(tx, principal, params.id, query),
  ),
});
