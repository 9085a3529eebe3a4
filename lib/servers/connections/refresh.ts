/**
 * Renewing a grant, in one place for all processes. Many authorization servers rotate refresh tokens and take a second
 * use of one for theft, which ends the grant. So one process at a time renews, by a claim on the row with a deadline
 * on the database's clock: a lock that is held while nothing holds a connection of the pool, however slow they are.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseDown, type Tx } from "../../base/db/db.ts";
import { type Moment, msSince, thisMoment } from "../../base/moment.ts";
import type { Services } from "../../base/services.ts";
import { OAuthRefused } from "../../mcp/oauth/oauth-refused.ts";
import { isFinal, renewTokens } from "../../mcp/oauth/oauth-tokens.ts";
import { type Grant, openTokens, readClientOf, readGrant } from "./grants.ts";
import { claimGrant, markNeedsReauth, releaseGrant, saveRenewed } from "./transitions.ts";

/** A claim holds this long, whatever becomes of its process. */
const CLAIM_MS = 30_000;
/** No byte goes out later than this after the claim; with the exchange's own deadline that ends well within it. */
const START_WITHIN_MS = 10_000;
/** Another one's renewal is waited for as long as its claim may last; */
const PATIENCE_MS = CLAIM_MS + 5_000;
/** and only so long where the old token is good yet: its process may be gone, and calls wait. */
const SHORT_PATIENCE_MS = 1_000;
/** Who waits for another one's renewal looks this often. */
const LOOK_MS = 100;

/**
 * The grant after somebody renewed it, which may be this caller; it may need a person by then. `seen` is the version
 * whose tokens are too old. Throws OAuthRefused where the authorization server could not be asked: nothing has changed.
 * `isStillGood`: the old token can take the new one's place.
 */
export async function renewGrant(
  services: Services,
  organizationId: string,
  connectionId: string,
  seen: bigint,
  isStillGood: boolean,
): Promise<Grant | null> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const look = () => within((tx) => readGrant(organizationId, tx, connectionId));
  const patience = performance.now() + (isStillGood ? SHORT_PATIENCE_MS : PATIENCE_MS);
  for (;;) {
    const claimedAt = thisMoment();
    if (await within((tx) => claimGrant(organizationId, tx, connectionId, seen, CLAIM_MS))) {
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
  // A process that was frozen since, or its machine suspended, may have lost its claim: it must not use the token any more.
  const mayStart = () => {
    if (msSince(claimedAt) > START_WITHIN_MS) throw new OAuthRefused("unreachable");
  };
  const found = await within(async (tx) => {
    const grant = await readGrant(organizationId, tx, connectionId);
    return grant && { grant, client: await readClientOf(organizationId, tx, services.seal, grant) };
  });
  if (found?.grant.version !== seen) return;
  const { grant, client } = found;
  const refreshToken = openTokens(services.seal, organizationId, grant)?.refreshToken ?? null;
  try {
    if (!client || refreshToken === null) throw new OAuthRefused("client_refused");
    const { metadata, resource } = grant;
    const party = { metadata, client, resource };
    const tokens = await renewTokens(party, refreshToken, services.network, mayStart);
    await keep(() =>
      within((tx) => saveRenewed(organizationId, tx, services.seal, connectionId, seen, tokens)),
    );
  } catch (error) {
    const isOver = error instanceof OAuthRefused && isFinal(error);
    await within(async (tx) => {
      if (isOver) await markNeedsReauth(organizationId, tx, grant, seen);
      else await releaseGrant(organizationId, tx, connectionId, seen);
    });
    if (!isOver) throw error;
  }
}

/** The old token is used up and the new one is in memory only: outlast a restart of the database. */
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
