import { z } from "zod";
import { listAuditStreams, readAuditStream } from "@/lib/outbound/audit-streams/audit-stream-reads.ts";
import {
  auditStreamSchema,
  createAuditStreamSchema,
  newAuditStreamSchema,
} from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { createAuditStream } from "@/lib/outbound/audit-streams/audit-stream-writes.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { network, sealing } from "@/lib/web/services.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "audit:manage",
      summary: "Audit streams, oldest first",
      output: z.object({ items: z.array(auditStreamSchema) }),
    },
    async (tx) => ({ items: await listAuditStreams(tx) }),
  ),
  POST: tenantRoute(
    {
      auth: "audit:manage",
      stepUp: true,
      summary: "Send the history to a webhook, a syslog server or a bucket, from its first line on",
      body: createAuditStreamSchema,
      output: newAuditStreamSchema,
      status: 201,
      errors: ["address_not_allowed", "too_many_audit_streams"],
    },
    async (tx, { principal, body }) => {
      const services = { network: network(), seal: sealing() };
      const { id, secret } = await createAuditStream(tx, principal, services, body);
      return { ...(await readAuditStream(tx, id)), secret };
    },
  ),
});
