import { pageSchema } from "@/lib/base/page.ts";
import { listNotices } from "@/lib/outbound/notices/notice-reads.ts";
import { noticeQuerySchema, noticeSchema } from "@/lib/outbound/notices/notice-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "account:use",
      summary: "Your notifications, newest first; members only",
      query: noticeQuerySchema,
      output: pageSchema(noticeSchema),
    },
    (tx, { principal, caller, query }) => listNotices(tx, principal, query, caller.sessionId),
  ),
});
