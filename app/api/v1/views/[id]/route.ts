import { savedViewSchema, updateViewSchema } from "@/lib/requests/saved-views/saved-view-schema.ts";
import { deleteView, updateView } from "@/lib/requests/saved-views/saved-view-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: tenantRoute(
    {
      auth: "views:use",
      summary: "Change your own saved view; admins also shared views of others",
      params: idParams,
      body: updateViewSchema,
      output: savedViewSchema,
      errors: ["name_taken"],
    },
    (tx, { principal, params, body }) => updateView(tx, principal, params.id, body),
  ),
  DELETE: tenantRoute(
    {
      auth: "views:use",
      summary: "Delete your own saved view; admins also shared views of others",
      params: idParams,
    },
    (tx, { principal, params }) => deleteView(tx, principal, params.id),
  ),
});
