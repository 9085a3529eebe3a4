import { readRetention } from "@/lib/history/retention/retention-reads.ts";
import { retentionSchema, updateRetentionSchema } from "@/lib/history/retention/retention-schema.ts";
import { updateRetention } from "@/lib/history/retention/retention-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "For how many days the organization keeps finished data; null: for ever",
      output: retentionSchema,
    },
    ({ caller }) => within(caller, readRetention),
  ),
  PATCH: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary:
        "Change for how many days the organization keeps finished data. For less time than before, send its `slug`",
      body: updateRetentionSchema,
      output: retentionSchema,
    },
    async (tx, { principal, body }) => {
      await updateRetention(tx, principal, body);
      return readRetention(tx);
    },
  ),
});
