import { findDocuments, toDocument } from "@/lib/requests/documents/document-reads.ts";
import { documentsSchema } from "@/lib/requests/documents/document-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      summary: "The documents of a request: in its arguments, its message and related results",
      params: idParams,
      output: documentsSchema,
    },
    async (tx, { principal, params }) => ({
      items: (await findDocuments(tx, principal, params.id)).map(toDocument),
    }),
  ),
});
