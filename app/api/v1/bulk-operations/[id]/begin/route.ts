import { readOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import {
  beginBulkSchema,
  bulkOperationSchema,
} from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { beginOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "Start a bulk operation; `count` is the number of its tasks",
      params: idParams,
      body: beginBulkSchema,
      output: bulkOperationSchema,
      status: 202,
      errors: ["count_differs", "operation_stopped"],
    },
    async (tx, { principal, params, body }) => {
      await beginOperation(tx, principal, params.id, body.count);
      return readOperation(tx, params.id);
    },
  ),
});
