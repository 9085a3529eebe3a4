/** What admins read and change of the organization's app on any platform. The platforms' own files set it up. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { Sending } from "./account-schema.ts";
import type { Platform } from "./platforms.ts";

interface SendingRow {
  setUpAt: Date;
  showsText: boolean;
  revokedAt: Date | null;
  because: string | null;
  pausedUntil: Date | null;
  members: number;
  failing: number;
  error: string | null;
  failingSince: Date | null;
}

/** Null: none is set up. */
export async function readSending({ app, account }: Platform, tx: Tx): Promise<Sending | null> {
  const [row] = await tx.$queryRaw<SendingRow[]>`
    SELECT s.set_up_at AS "setUpAt", s.shows_text AS "showsText", s.revoked_at AS "revokedAt", s.revoked_because AS because,
      CASE WHEN s.not_before > now() THEN s.not_before END AS "pausedUntil",
      (SELECT count(*)::integer FROM ${account} a WHERE a.organization_id = s.organization_id) AS members,
      (SELECT count(*)::integer FROM ${account} a WHERE a.organization_id = s.organization_id AND a.error IS NOT NULL) AS failing,
      latest.error, latest.failing_since AS "failingSince"
    FROM ${app} s LEFT JOIN LATERAL (SELECT a.error, a.failing_since FROM ${account} a
      WHERE a.organization_id = s.organization_id AND a.error IS NOT NULL ORDER BY a.failing_since DESC LIMIT 1) latest ON true
    WHERE s.organization_id = ${tx.organizationId}::uuid`;
  if (!row) return null;
  const { setUpAt, showsText, members, revokedAt, because, pausedUntil, failing, error, failingSince } = row;
  return {
    setUpAt: setUpAt.toISOString(),
    showsText,
    members,
    revoked: revokedAt !== null && because !== null ? { at: revokedAt.toISOString(), because } : null,
    pausedUntil: pausedUntil?.toISOString() ?? null,
    failing:
      error !== null && failingSince !== null
        ? { members: failing, error, since: failingSince.toISOString() }
        : null,
  };
}

/** Allows or forbids the text of questions. Messages that have it are changed. Throws `not_found`. */
export async function allowText(
  { name, title, app, account }: Platform,
  tx: Tx,
  { actor }: Principal,
  { showsText }: { showsText: boolean },
): Promise<void> {
  const { organizationId } = tx;
  const changed = await tx.$executeRaw`UPDATE ${app} SET shows_text = ${showsText}
    WHERE organization_id = ${organizationId}::uuid AND shows_text <> ${showsText}`;
  if (changed === 0) {
    const [found] = await tx.$queryRaw<
      unknown[]
    >`SELECT FROM ${app} WHERE organization_id = ${organizationId}::uuid`;
    if (!found) throw notFound(`${title} app`);
    return;
  }
  await tx.$executeRaw`UPDATE ${account} SET due_at = now() WHERE organization_id = ${organizationId}::uuid`;
  await appendEvents(tx, [{ type: `${name}.updated`, actor, data: { organizationId, showsText } }]);
}

/** Forgets the app and all linked accounts. Throws `not_found`. */
export async function removeApp(
  { name, title, app, place }: Platform,
  tx: Tx,
  { actor }: Principal,
): Promise<void> {
  const { organizationId } = tx;
  const [gone] = await tx.$queryRaw<{ place: string }[]>`DELETE FROM ${app}
    WHERE organization_id = ${organizationId}::uuid RETURNING ${place.column} AS place`;
  if (!gone) throw notFound(`${title} app`);
  const data = { organizationId, [place.inEvents]: gone.place };
  await appendEvents(tx, [{ type: `${name}.removed`, actor, data }]);
}
