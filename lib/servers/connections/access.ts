/** Provides a connection's tokens to its calls, cached in memory for a while. */

import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Tx } from "../../base/db/db.ts";
import type { Services } from "../../base/process/services.ts";
import { OAuthRefused } from "../../mcp/oauth/oauth-fetch.ts";
import type { Access } from "../../mcp/peer.ts";
import { PeerError, SignInNeeded, TokensUnreadable } from "../../mcp/peer-error.ts";
import { markNeedsReauth, markNeedsScope } from "./connection-writes.ts";
import { type Grant, isUsable, openTokens, readGrant } from "./grants.ts";
import { renewGrant } from "./refresh.ts";

/** Uses a token this long before re-reading the grant. Disconnecting also wakes the connection's watcher. */
const LOOK_AGAIN_MS = 60_000;
/** Pause before another attempt if the authorization server is unreachable and the old token still works. */
const RETRY_MS = 15_000;

/**
 * `judges`: whether a refusal may end the sign-in for everybody, which is right for the engine's calls. It is
 * wrong for a read at one person's wish, since a server may refuse a single document: such a read only renews.
 */
export class GrantAccess implements Access {
  #services: Services;
  #judges: boolean;
  #organizationId: string;
  #connectionId: string;
  #token: string | null = null;
  /** The grant version of the cached token. */
  #version: bigint | null = null;
  /** End of the cached token's use, on the monotonic clock. */
  #until = 0;
  #asking: Promise<string> | null = null;
  /** Counts calls of `forget()`. Reads begun before the last one are neither cached nor awaited. */
  #changes = 0;

  constructor(services: Services, organizationId: string, connectionId: string, judges = true) {
    this.#services = services;
    this.#judges = judges;
    this.#organizationId = organizationId;
    this.#connectionId = connectionId;
  }

  current(): string | null {
    return performance.now() < this.#until ? this.#token : null;
  }

  /** Makes one read at a time; all waiting calls share its result. */
  fresh(): Promise<string> {
    return this.#asking ?? this.#askWith(this.#ask());
  }

  async refused(token: string): Promise<boolean> {
    if (this.#asking) await this.#asking;
    // Another call was refused earlier and already renewed the token.
    if (token !== this.#token) return true;
    const refused = this.#version;
    this.#until = 0;
    const changes = this.#changes;
    const grant = await this.#read();
    if (grant.version !== refused) return true;
    if (!grant.renews && !this.#judges) return false;
    await (this.#asking ?? this.#askWith(this.#renew(grant, 0, changes)));
    return true;
  }

  async exhausted(token: string, neededScope: string | null): Promise<void> {
    const seen = this.#version;
    if (!this.#judges) return;
    if (token !== this.#token || seen === null) return;
    const grant = await this.#read();
    if (neededScope === null) this.#until = 0;
    // A token that expired on its way to the server proves nothing; the next one gets its own attempt.
    if (neededScope === null && grant.expiresInMs !== null && grant.expiresInMs <= 0) return;
    await this.#within((tx) =>
      neededScope === null ? markNeedsReauth(tx, grant, seen) : markNeedsScope(tx, grant, seen, neededScope),
    );
  }

  forget(): void {
    this.#until = 0;
    this.#changes++;
    this.#asking = null;
  }

  #askWith(asking: Promise<string>): Promise<string> {
    const asked = asking.finally(() => {
      if (this.#asking === asked) this.#asking = null;
    });
    this.#asking = asked;
    return asked;
  }

  async #ask(): Promise<string> {
    const changes = this.#changes;
    const grant = await this.#read();
    const isOver = grant.expiresInMs !== null && grant.expiresInMs <= 0;
    const isDue = grant.refreshInMs !== null && grant.refreshInMs <= 0;
    if (!isOver && !isDue) return this.#keep(grant, grant.refreshInMs ?? grant.expiresInMs, changes);
    return this.#renew(grant, grant.expiresInMs ?? 0, changes);
  }

  /** `stillGoodForMs`: remaining lifetime of the old token. `changes`: the counter when `grant` was read. */
  async #renew(grant: Grant, stillGoodForMs: number, changes: number): Promise<string> {
    if (!grant.renews) {
      if (this.#judges) await this.#within((tx) => markNeedsReauth(tx, grant, grant.version));
      throw needed(null);
    }
    try {
      const { connectionId, version } = grant;
      const isStillGood = stillGoodForMs > 0;
      const renewed = await unlessAway(
        renewGrant(this.#services, this.#organizationId, connectionId, version, isStillGood),
      );
      if (!renewed || !isUsable(renewed)) throw needed(renewed);
      return this.#keep(renewed, renewed.refreshInMs ?? renewed.expiresInMs, changes);
    } catch (error) {
      if (!(error instanceof OAuthRefused)) throw error;
      if (stillGoodForMs > 0) return this.#keep(grant, Math.min(RETRY_MS, stillGoodForMs), changes);
      const isAway = error.code === "unreachable";
      const message = `The authorization server ${isAway ? "can’t be reached" : "does not renew the sign-in"}`;
      throw new PeerError("unreachable", "no", message, { cause: error });
    }
  }

  #keep(grant: Grant, forMs: number | null, changes: number): string {
    const tokens = openTokens(this.#services.seal, this.#organizationId, grant);
    if (!tokens) throw needed(null);
    // The token may be outdated, so it is used once but not cached.
    if (changes !== this.#changes) return tokens.accessToken;
    this.#token = tokens.accessToken;
    this.#version = grant.version;
    this.#until = performance.now() + Math.min(LOOK_AGAIN_MS, forMs ?? LOOK_AGAIN_MS);
    return tokens.accessToken;
  }

  /** Throws SignInNeeded if the grant is unusable. */
  async #read(): Promise<Grant> {
    const grant = await this.#within((tx) => readGrant(tx, this.#connectionId));
    if (!grant || !isUsable(grant)) throw needed(grant);
    return grant;
  }

  #within<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return unlessAway(this.#services.db.withOrganization(this.#organizationId, work));
  }
}

/** Converts a database outage into a PeerError, since callers handle only failures of calls. */
async function unlessAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isDatabaseDown(error) ? new TokensUnreadable(error) : error;
  }
}

function needed(grant: Grant | null): SignInNeeded {
  return new SignInNeeded(
    grant === null || grant.state === "revoked"
      ? "Nobody is signed in at this server."
      : "Somebody has to sign in at this server again.",
  );
}
