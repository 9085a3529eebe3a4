import { pageSchema } from "@/lib/base/page.ts";
import { listStandingApprovals } from "@/lib/requests/standing-approvals/standing-approval-reads.ts";
import {
  standingApprovalSchema,
  standingQuerySchema,
} from "@/lib/requests/standing-approvals/standing-approval-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      summary: "Approvals for a while, newest first",
      query: standingQuerySchema,
      output: pageSchema(standingApprovalSchema),
    },
    (tx, { principal, query }) => listStandingApprovals(tx, principal, query),
  ),
});
