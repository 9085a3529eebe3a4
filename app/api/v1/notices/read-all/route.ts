import { markAllRead } from "@/lib/outbound/notices/notice-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    { auth: "account:use", summary: "Mark all of your notices as read; members only" },
    ({ caller }) => within(caller, markAllRead),
  ),
});
