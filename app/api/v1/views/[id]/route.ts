import { savedViewSchema, updateViewSchema } from "@/lib/requests/saved-views/saved-view-schema.ts";
import { deleteView, updateView } from "@/lib/requests/saved-views/saved-view-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: route(
    {
      auth: "views:use",
      summary: "Change a saved view of one's own; a shared one of others' as an admin",
      params: idParams,
      body: updateViewSchema,
      output: savedViewSchema,
      errors: ["name_taken"],
    },
    ({ caller, params, body }) =>
      within(caller, (tx, principal) => updateView(tx, principal, params.id, body)),
  ),
  DELETE: route(
    {
      auth: "views:use",
      summary: "Delete a saved view of one's own; a shared one of others' as an admin",
      params: idParams,
    },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => deleteView(tx, principal, params.id));
      return undefined;
    },
  ),
});
