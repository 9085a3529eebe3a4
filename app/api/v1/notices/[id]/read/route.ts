import { markRead } from "@/lib/outbound/notices/notice-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    { auth: "account:use", summary: "Mark a notice of yours as read; members only", params: idParams },
    (tx, { principal, caller, params }) => markRead(tx, principal, params.id, caller.sessionId),
  ),
});
