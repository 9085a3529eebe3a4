/** A person's sessions, and what happened to their account. An ended session is refused from its next request on. */
import { z } from "zod";
import { type Database, Prisma } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { type AccountSession, methodSchema, type SecurityEvent } from "./account-schema.ts";

/** A session ends after this long in ms without a request: longer than a lunch, short for a lost laptop. */
export const SESSION_IDLE_MS = 2 * 3600_000;

const rowSchema = z.object({
  id: z.uuid(),
  method: methodSchema,
  user_agent: z.string().nullable(),
  address: z.string().nullable(),
  created_at: z.date(),
  last_seen_at: z.date(),
  expires_at: z.date(),
  agent: z.string().nullable(),
});

/** Lists sessions in force, newest first. */
export async function listSessions(
  db: Database,
  userId: string,
  currentId: string,
  idleMs: number,
): Promise<AccountSession[]> {
  const rows = await db.gate(
    Prisma.sql`SELECT * FROM gate.sessions_and_agents(${userId}::uuid, ${idleMs}::bigint)`,
  );
  return z
    .array(rowSchema)
    .parse(rows)
    .map((row) => ({
      id: row.id,
      current: row.id === currentId,
      method: row.method,
      userAgent: row.user_agent,
      address: row.address,
      agent: row.agent,
      createdAt: row.created_at.toISOString(),
      lastSeenAt: row.last_seen_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
    }));
}

/** Throws `not_found` for a session of another person, or an ended one. */
export async function endSession(db: Database, userId: string, sessionId: string): Promise<void> {
  if ((await end(db, userId, sessionId, false)) === 0) throw notFound("session");
}

/** Ends all sessions but one. */
export async function endOtherSessions(db: Database, userId: string, keptId: string): Promise<void> {
  await end(db, userId, keptId, true);
}

async function end(db: Database, userId: string, sessionId: string, others: boolean): Promise<number> {
  const [row] = await db.gate<{ ended: number }>(
    Prisma.sql`SELECT gate.end_sessions(${userId}::uuid, ${sessionId}::uuid, ${others}) AS ended`,
  );
  return row?.ended ?? 0;
}

/** More would hardly be read; rows are kept for 90 days, refused sign-ins for 30. */
const SHOWN = 100;

const rowsSchema = z.array(
  z
    .object({
      id: z.uuid(),
      type: z.string(),
      data: z.record(z.string(), z.unknown()),
      times: z.number(),
      at: z.date(),
      last_at: z.date(),
    })
    .transform(({ last_at: lastAt, at, ...row }) => ({
      ...row,
      at: at.toISOString(),
      lastAt: lastAt.toISOString(),
    })),
);

/** Lists what happened to an account, newest first: its person's own history. Organizations have theirs (lib/history/events). */
export async function listSecurityEvents(db: Database, userId: string): Promise<SecurityEvent[]> {
  return rowsSchema.parse(
    await db.gate(Prisma.sql`SELECT * FROM gate.account_events(${userId}::uuid, ${SHOWN}::integer)`),
  );
}
