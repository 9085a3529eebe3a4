import { readAuditStream } from "@/lib/outbound/audit-streams/audit-stream-reads.ts";
import {
  auditStreamSchema,
  updateAuditStreamSchema,
} from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { removeAuditStream, updateAuditStream } from "@/lib/outbound/audit-streams/audit-stream-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "audit:manage", summary: "An audit stream", params: idParams, output: auditStreamSchema },
    ({ caller, params }) => within(caller, (tx) => readAuditStream(tx, params.id)),
  ),
  PATCH: route(
    {
      auth: "audit:manage",
      stepUp: true,
      summary: "Pause or resume an audit stream, or change its credentials",
      params: idParams,
      body: updateAuditStreamSchema,
      output: auditStreamSchema,
    },
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await updateAuditStream(tx, principal, sealing(), params.id, body);
        return readAuditStream(tx, params.id);
      }),
  ),
  DELETE: route(
    { auth: "audit:manage", stepUp: true, summary: "Remove an audit stream", params: idParams },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => removeAuditStream(tx, principal, params.id));
      return undefined;
    },
  ),
});
