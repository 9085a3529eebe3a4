/** The switch: whether an organization seals what its tasks are about (docs/decisions/045). convert.ts does the rest. */
import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { contentOf, KEY_BYTES, keyPlace } from "../../base/content/content-keys.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";

/** Whether an organization seals what its tasks are about, and how far the engine has come with what was stored before. */
export const contentSealingSchema = z.object({
  sealed: z.boolean(),
  /** Who turned the switch last, and when; null: nobody ever did. */
  changed: z.object({ by: actorSchema, at: z.iso.datetime() }).nullable(),
  /** Rows looked at, of about so many; null once everything is as the switch says. */
  progress: z.object({ done: z.int(), of: z.int() }).nullable(),
  /** Values that no key of this installation opens, by the last look at all. */
  unopened: z.int(),
  /** False: a key of the organization can't be opened now, and what is sealed waits. */
  opens: z.boolean(),
});
export type ContentSealing = z.infer<typeof contentSealingSchema>;

export const saveContentSealingSchema = z.strictObject({ sealed: z.boolean() });

/** An engine that was seen within this time works. */
const STILL_WORKS_MS = 60_000;
/**
 * When what stood there before the switch is sealed. Longer than any transaction takes (lib/base/db/db.ts): one that began
 * before takes everything for plain text, and what it writes plainly is found by the first pass.
 */
const BEGUN_BEFORE_MS = 30_000;

/** Makes the organization a key, under which everything is sealed from the commit on. Idempotent. */
export async function beginSealing(tx: Tx, { actor }: Principal, seal: Seal): Promise<void> {
  if (await lockSwitch(tx)) return;
  await refuseOldEngines(tx);
  const kid = randomUUID();
  const key = randomBytes(KEY_BYTES).toString("base64");
  await tx.$executeRaw`INSERT INTO organization_key (organization_id, kid, sealed_key)
    VALUES (${tx.organizationId}::uuid, ${kid}::uuid, ${seal.seal(keyPlace(tx.organizationId, kid), key)})`;
  await beginAgain(tx, actor, kid);
  await appendEvents(tx, [{ type: "organization.content_sealed", actor }]);
}

/** Retires the key: what is written from the commit on is plain. The key stays for what is sealed. Idempotent. */
export async function endSealing(tx: Tx, { actor }: Principal): Promise<void> {
  if (!(await lockSwitch(tx))) return;
  await tx.$executeRaw`UPDATE organization_key SET retired_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND retired_at IS NULL`;
  await beginAgain(tx, actor, null);
  await appendEvents(tx, [{ type: "organization.content_opened", actor }]);
}

/** Makes turns of the switch wait for each other. Returns true if it is on. */
async function lockSwitch(tx: Tx): Promise<boolean> {
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tx.organizationId}::uuid FOR NO KEY UPDATE`;
  return (
    (await tx.organizationKey.count({ where: { organizationId: tx.organizationId, retiredAt: null } })) > 0
  );
}

async function beginAgain(tx: Tx, actor: Principal["actor"], kid: string | null): Promise<void> {
  const waitMs = kid === null ? 0 : BEGUN_BEFORE_MS;
  await tx.$executeRaw`INSERT INTO content_sealing (organization_id, kid, changed_by, look_at)
    VALUES (${tx.organizationId}::uuid, ${kid}::uuid, ${JSON.stringify(storable(actor))}::jsonb,
      now() + ${waitMs} * interval '1 ms')
    ON CONFLICT (organization_id) DO UPDATE SET kid = excluded.kid, changed_by = excluded.changed_by, changed_at = now(),
      at_table = NULL, at_row = NULL, looked = 0, rows = 0, left_over = 0, unopened = 0, finished_at = NULL,
      look_at = excluded.look_at`;
}

/**
 * An engine of an earlier version would send sealed values to servers as they are. One that comes later is refused by the
 * database (trigger `refuse_old_engine`), which takes the same lock.
 */
async function refuseOldEngines(tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('content sealing', 0))`;
  const [{ old } = { old: false }] = await tx.$queryRaw<{ old: boolean }[]>`SELECT EXISTS (SELECT FROM engine
    WHERE seen_at > now() - ${STILL_WORKS_MS} * interval '1 ms' AND NOT opens_content) AS old`;
  if (old)
    throw new AppError(
      "engine_outdated",
      "An engine of an earlier version is running, which can’t open sealed content. Update all engines first.",
    );
}

export async function readContentSealing(tx: Tx): Promise<ContentSealing> {
  const row = await tx.contentSealing.findUnique({ where: { organizationId: tx.organizationId } });
  if (!row) return { sealed: false, changed: null, progress: null, unopened: 0, opens: true };
  const of = Math.max(Number(row.rows), Number(row.looked));
  return {
    sealed: row.kid !== null,
    changed: { by: actorSchema.parse(row.changedBy), at: row.changedAt.toISOString() },
    progress: row.finishedAt === null ? { done: Number(row.looked), of } : null,
    unopened: Number(row.unopened),
    opens: contentOf(tx).opens,
  };
}
