import { pageSchema } from "@/lib/base/page.ts";
import { listViews, readView } from "@/lib/requests/saved-views/saved-view-reads.ts";
import {
  createViewSchema,
  savedViewSchema,
  viewListQuerySchema,
} from "@/lib/requests/saved-views/saved-view-schema.ts";
import { createView, viewer } from "@/lib/requests/saved-views/saved-view-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "views:use",
      summary: "Your saved views and those that others share, by name",
      query: viewListQuerySchema,
      output: pageSchema(savedViewSchema),
    },
    async ({ caller, query }) => ({
      items: await within(caller, (tx, principal) => listViews(tx, viewer(principal), query.page)),
      nextCursor: null,
    }),
  ),
  POST: tenantRoute(
    {
      auth: "views:use",
      summary: "Save a list with its filters; sharing it needs the role operator",
      body: createViewSchema,
      output: savedViewSchema,
      status: 201,
      errors: ["name_taken", "too_many_views"],
    },
    async (tx, { principal, body }) => {
      const id = await createView(tx, principal, body);
      return readView(tx, viewer(principal), id);
    },
  ),
});
