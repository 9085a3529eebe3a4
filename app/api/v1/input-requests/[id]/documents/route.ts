import { findDocuments, toDocument } from "@/lib/requests/documents/document-reads.ts";
import { documentsSchema } from "@/lib/requests/documents/document-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "requests:read",
      summary: "The documents that a request brings along: in its arguments, its message and related results",
      params: idParams,
      output: documentsSchema,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => ({
        items: (await findDocuments(tx, principal, params.id)).map(toDocument),
      })),
  ),
});
