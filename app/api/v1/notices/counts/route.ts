import { countUnread } from "@/lib/outbound/notices/notice-reads.ts";
import { noticeCountsSchema } from "@/lib/outbound/notices/notice-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "How many notices you have not read, up to 100; members only",
      output: noticeCountsSchema,
    },
    ({ caller }) =>
      within(caller, async (tx, principal) => ({
        unread: await countUnread(tx, principal),
      })),
  ),
});
