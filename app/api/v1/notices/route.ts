import { pageSchema } from "@/lib/base/page.ts";
import { listNotices } from "@/lib/outbound/notices/notice-reads.ts";
import { noticeQuerySchema, noticeSchema } from "@/lib/outbound/notices/notice-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "Your notifications, newest first; members only",
      query: noticeQuerySchema,
      output: pageSchema(noticeSchema),
    },
    ({ caller, query }) =>
      within(caller, (tx, principal) => listNotices(tx, principal, query, caller.sessionId)),
  ),
});
