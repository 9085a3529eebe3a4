import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import {
  type AuditStream,
  auditStreamKindSchema,
  s3SettingsSchema,
  syslogSettingsSchema,
} from "./audit-stream-schema.ts";

/** Lists the organization's audit streams, oldest first; they are few. */
export async function listAuditStreams(tx: Tx): Promise<AuditStream[]> {
  const rows = await tx.$queryRaw<Row[]>`${SELECT} WHERE s.organization_id = ${tx.organizationId}::uuid
    ORDER BY s.created_at, s.id`;
  return rows.map(toAuditStream);
}

/** Returns an audit stream. Throws `not_found`. */
export async function readAuditStream(tx: Tx, streamId: string): Promise<AuditStream> {
  const [row] = await tx.$queryRaw<Row[]>`${SELECT}
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${streamId}::uuid`;
  if (!row) throw notFound("audit stream");
  return toAuditStream(row);
}

/** The host of an address, for the history: the rest of a webhook's address may be a secret. */
export function hostOf(kind: string, address: string): string {
  return kind === "syslog" ? address : new URL(address).host;
}

const SELECT = Prisma.sql`SELECT s.id, s.kind, s.address, s.settings, s.paused_at AS "pausedAt", s.seq,
    coalesce(head.seq, 0) AS head, s.anchored_seq AS "anchoredSeq", s.delivered_at AS "deliveredAt",
    s.failing_since AS "failingSince", s.last_error AS "lastError", s.last_error_at AS "lastErrorAt",
    s.not_before AS "notBefore", s.swept, s.created_at AS "createdAt"
  FROM audit_stream s LEFT JOIN event_head head ON head.organization_id = s.organization_id`;

interface Row {
  id: string;
  kind: string;
  address: string;
  settings: unknown;
  pausedAt: Date | null;
  seq: bigint;
  head: bigint;
  anchoredSeq: bigint;
  deliveredAt: Date | null;
  failingSince: Date | null;
  lastError: string | null;
  lastErrorAt: Date | null;
  notBefore: Date;
  swept: bigint;
  createdAt: Date;
}

function toAuditStream(row: Row): AuditStream {
  const kind = auditStreamKindSchema.parse(row.kind);
  const s3 = kind === "s3" ? s3SettingsSchema.parse(row.settings) : null;
  return {
    id: row.id,
    kind,
    address: row.address,
    bucket: s3?.bucket ?? null,
    region: s3?.region ?? null,
    prefix: s3?.prefix ?? null,
    ownCa: kind === "syslog" && syslogSettingsSchema.parse(row.settings).ca !== null,
    paused: row.pausedAt !== null,
    position: Number(row.seq),
    behind: Math.max(0, Number(row.head - row.seq)),
    anchoredPosition: Number(row.anchoredSeq),
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
    failingSince: row.failingSince?.toISOString() ?? null,
    lastError:
      row.lastError !== null && row.lastErrorAt !== null
        ? { code: row.lastError, at: row.lastErrorAt.toISOString() }
        : null,
    nextAttemptAt: row.failingSince && row.pausedAt === null ? row.notBefore.toISOString() : null,
    swept: Number(row.swept),
    createdAt: row.createdAt.toISOString(),
  };
}
