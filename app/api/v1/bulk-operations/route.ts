import { readOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import {
  bulkOperationSchema,
  createBulkSchema,
} from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { prepareOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-writes.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "tasks:manage",
      summary:
        "Make a list of tasks to cancel, check or start again together. Nothing happens before it is begun",
      body: createBulkSchema,
      output: bulkOperationSchema,
      status: 201,
      errors: ["not_found", "nothing_suits", "too_many_tasks"],
    },
    async (tx, { principal, body }) => {
      const id = await prepareOperation(tx, principal, body);
      return readOperation(tx, id);
    },
  ),
});
