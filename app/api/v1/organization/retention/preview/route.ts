import { previewRetention } from "@/lib/history/retention/retention-reads.ts";
import { previewQuerySchema, previewSchema } from "@/lib/history/retention/retention-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary: "What would be deleted now with these numbers of days. Each kind is counted up to 10,000",
      query: previewQuerySchema,
      output: previewSchema,
    },
    (tx, { query }) => previewRetention(tx, query),
  ),
});
