import { countUnread } from "@/lib/outbound/notices/notice-reads.ts";
import { noticeCountsSchema } from "@/lib/outbound/notices/notice-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "account:use",
      summary: "How many notices you have not read, up to 100; members only",
      output: noticeCountsSchema,
    },
    async (tx, { principal }) => ({
      unread: await countUnread(tx, principal),
    }),
  ),
});
