import { markRead } from "@/lib/outbound/notices/notice-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    { auth: "account:use", summary: "Mark a notice of yours as read; members only", params: idParams },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => markRead(tx, principal, params.id, caller.sessionId));
      return undefined;
    },
  ),
});
