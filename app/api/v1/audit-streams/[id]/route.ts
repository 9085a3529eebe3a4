import { readAuditStream } from "@/lib/outbound/audit-streams/audit-stream-reads.ts";
import {
  auditStreamSchema,
  updateAuditStreamSchema,
} from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { removeAuditStream, updateAuditStream } from "@/lib/outbound/audit-streams/audit-stream-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    { auth: "audit:manage", summary: "An audit stream", params: idParams, output: auditStreamSchema },
    (tx, { params }) => readAuditStream(tx, params.id),
  ),
  PATCH: tenantRoute(
    {
      auth: "audit:manage",
      stepUp: true,
      summary: "Pause or resume an audit stream, or change its credentials",
      params: idParams,
      body: updateAuditStreamSchema,
      output: auditStreamSchema,
    },
    async (tx, { principal, params, body }) => {
      await updateAuditStream(tx, principal, sealing(), params.id, body);
      return readAuditStream(tx, params.id);
    },
  ),
  DELETE: tenantRoute(
    { auth: "audit:manage", stepUp: true, summary: "Remove an audit stream", params: idParams },
    (tx, { principal, params }) => removeAuditStream(tx, principal, params.id),
  ),
});
