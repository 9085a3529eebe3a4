import { readOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import { bulkOperationSchema } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "One of the caller's bulk operations, and its progress",
      params: idParams,
      output: bulkOperationSchema,
    },
    (tx, { params }) => readOperation(tx, params.id),
  ),
});
