import { storableText, type Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR } from "../history/events/event-writes.ts";
import type { Era } from "../mcp/peer.ts";
import type { Health, Late } from "./server-schema.ts";

/** Stores a server's health as seen by calls. `message` is Intray's own text, never the server's. */
export async function recordHealth(
  tx: Tx,
  serverId: string,
  health: { state: Health["state"]; message: string | null },
): Promise<void> {
  const message = health.message === null ? null : storableText(health.message);
  const rows = await tx.$queryRaw<{ before: string; name: string }[]>`
    UPDATE server s SET health_state = ${health.state}, health_message = ${message}, health_checked_at = now()
    FROM server was WHERE was.organization_id = s.organization_id AND was.id = s.id
      AND s.organization_id = ${tx.organizationId}::uuid AND s.id = ${serverId}::uuid
    RETURNING was.health_state AS before, s.name`;
  if (!rows[0] || rows[0].before === health.state) return;
  await publishChange(tx, "server", [serverId]);
  await appendEvents(tx, [
    {
      type: "server.health_changed",
      actor: ENGINE_ACTOR,
      data: { serverId, name: rows[0].name, from: rows[0].before, to: health.state },
    },
  ]);
}

/** Sets a server's health to `unauthorized` if its last usable OAuth connection has ended. */
export async function noteSignedOut(tx: Tx, serverId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM server s WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${serverId}::uuid
      AND s.auth_kind = 'oauth' AND s.removed_at IS NULL AND NOT EXISTS (
        SELECT FROM connection c JOIN oauth_grant g ON g.organization_id = c.organization_id AND g.connection_id = c.id
        WHERE c.organization_id = s.organization_id AND c.server_id = s.id AND g.state IN ('connected', 'needs_scope'))`;
  if (rows.length === 0) return;
  const message = "Nobody is signed in at this server now.";
  await recordHealth(tx, serverId, { state: "unauthorized", message });
}

/** Stores the detected era if none is known. */
export async function recordEra(tx: Tx, serverId: string, era: Era): Promise<void> {
  await tx.server.updateMany({
    where: { organizationId: tx.organizationId, id: serverId, era: null },
    data: { era },
  });
}

export interface CircuitState {
  /** Consecutive failures; 0 if the last call succeeded. */
  failures: number;
  openForMs: number;
}

/** Stores a connection's consecutive failures, and until when to pause its calls, by the database's clock. */
export async function recordCircuit(
  tx: Tx,
  connectionId: string,
  { failures, openForMs }: CircuitState,
): Promise<void> {
  const rows = await tx.$queryRaw<{ serverId: string }[]>`
    UPDATE connection SET circuit_failures = ${failures}::integer,
      circuit_open_until = CASE WHEN ${failures}::integer > 0 THEN now() + ${openForMs}::float8 * interval '1 ms' END
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${connectionId}::uuid
    RETURNING server_id AS "serverId"`;
  for (const { serverId } of rows) await publishChange(tx, "server", [serverId]);
}

/** Stores how late a connection's tasks are polled, for display; null if on time. */
export async function recordLate(tx: Tx, connectionId: string, late: Late | null): Promise<void> {
  const rows = await tx.$queryRaw<{ serverId: string }[]>`
    UPDATE connection SET late_every_ms = ${late?.everyMs ?? null}::integer,
      late_instead_of_ms = ${late?.insteadOfMs ?? null}::integer, late_answer_ms = ${late?.answerMs ?? null}::integer
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${connectionId}::uuid
    RETURNING server_id AS "serverId"`;
  for (const { serverId } of rows) await publishChange(tx, "server", [serverId]);
}

/** Stores the newest failed call; ignores one older than the stored one. */
export async function recordLastError(
  tx: Tx,
  serverId: string,
  { at, ...error }: { code: string; message: string; at: Date },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE server SET last_error = ${JSON.stringify(error)}::jsonb, last_error_at = ${at}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid
      AND (last_error_at IS NULL OR last_error_at < ${at})`;
}
