import { readOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-reads.ts";
import { bulkOperationSchema } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:manage",
      summary: "A bulk operation of the caller's own, and how far it is",
      params: idParams,
      output: bulkOperationSchema,
    },
    ({ caller, params }) => within(caller, (tx) => readOperation(tx, params.id)),
  ),
});
