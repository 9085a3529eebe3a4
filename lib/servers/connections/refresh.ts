/**
 * Renews a grant, the only place to do so. Many authorization servers rotate refresh tokens and treat a
 * second use as theft, which ends the grant. So one process at a time renews, under a claim on the row with a
 * deadline on the database's clock: a lock that needs no database connection meanwhile.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import { type Moment, msSince, thisMoment } from "../../base/moment.ts";
import type { Services } from "../../base/process/services.ts";
import { OAuthRefused } from "../../mcp/oauth/oauth-fetch.ts";
import { isFinal, renewTokens } from "../../mcp/oauth/oauth-tokens.ts";
import { claimGrant, markNeedsReauth, releaseGrant, saveRenewed } from "./connection-writes.ts";
import { type Grant, openTokens, readClientOf, readGrant } from "./grants.ts";

/** Lifetime of a claim, even if its process dies. */
const CLAIM_MS = 30_000;
/** Latest start of the request after the claim, so that its deadline lies within the claim. */
const START_WITHIN_MS = 10_000;
/** Longest wait for another process's renewal. */
const PATIENCE_MS = CLAIM_MS + 5_000;
/** Shorter wait while the old token still works, since calls wait and the other process may be gone. */
const SHORT_PATIENCE_MS = 1_000;
/** Interval for checking another process's renewal. */
const LOOK_MS = 100;

/**
 * Returns the grant after a renewal by this or another process; the grant may need a new sign-in then. `seen`
 * is the version with outdated tokens. `isStillGood`: the old token still works. Throws OAuthRefused, with
 * nothing changed, if the authorization server cannot be asked.
 */
export async function renewGrant(
  services: Services,
  organizationId: string,
  connectionId: string,
  seen: bigint,
  isStillGood: boolean,
): Promise<Grant | null> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const look = () => within((tx) => readGrant(tx, connectionId));
  const patience = performance.now() + (isStillGood ? SHORT_PATIENCE_MS : PATIENCE_MS);
  for (;;) {
    const claimedAt = thisMoment();
    if (await within((tx) => claimGrant(tx, connectionId, seen, CLAIM_MS))) {
      await renewClaimed(services, organizationId, connectionId, seen, claimedAt);
      return look();
    }
    const grant = await look();
    if (grant?.version !== seen || (grant.state !== "connected" && grant.state !== "needs_scope"))
      return grant;
    if (performance.now() > patience) throw new OAuthRefused("unreachable");
    await sleep(LOOK_MS);
  }
}

async function renewClaimed(
  services: Services,
  organizationId: string,
  connectionId: string,
  seen: bigint,
  claimedAt: Moment,
): Promise<void> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  // After a freeze of the process or a suspension of its machine, the claim may be lost, so the token must
  // not be used.
  const mayStart = () => {
    if (msSince(claimedAt) > START_WITHIN_MS) throw new OAuthRefused("unreachable");
  };
  const found = await within(async (tx) => {
    const grant = await readGrant(tx, connectionId);
    return grant && { grant, client: await readClientOf(tx, services.seal, grant) };
  });
  if (found?.grant.version !== seen) return;
  const { grant, client } = found;
  const refreshToken = openTokens(services.seal, organizationId, grant)?.refreshToken ?? null;
  try {
    if (!client || refreshToken === null) throw new OAuthRefused("client_refused");
    const { metadata, resource } = grant;
    const party = { metadata, client, resource };
    const tokens = await renewTokens(party, refreshToken, services.network, mayStart);
    await keep(() => within((tx) => saveRenewed(tx, services.seal, connectionId, seen, tokens)));
  } catch (error) {
    const isOver = error instanceof OAuthRefused && isFinal(error);
    await within(async (tx) => {
      if (isOver) await markNeedsReauth(tx, grant, seen);
      else await releaseGrant(tx, connectionId, seen);
    });
    if (!isOver) throw error;
  }
}

/** Retries over a database restart: the old token is used up, and the new one exists only in memory. */
async function keep(save: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await save();
      return;
    } catch (error) {
      if (!isDatabaseDown(error) || tries >= 60) throw error;
      await sleep(250);
    }
  }
}
