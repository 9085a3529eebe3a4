import { readOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import { bulkOperationSchema } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { stopOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "Stop a bulk operation; the remaining tasks stay as they are",
      params: idParams,

      output: bulkOperationSchema,
      status: 200,
    },
    async (tx, { principal, params }) => {
      await stopOperation(tx, principal, params.id);
      return readOperation(tx, params.id);
    },
  ),
});
