import { readOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import { bulkOperationSchema } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "A bulk operation of the caller's own, and how far it is",
      params: idParams,
      output: bulkOperationSchema,
    },
    (tx, { params }) => readOperation(tx, params.id),
  ),
});
