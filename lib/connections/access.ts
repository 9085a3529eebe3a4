/** The tokens of one connection as its calls need them: asked for at each call, and kept in memory for a while. */
import type { Tx } from "../db.ts";
import { OAuthRefused } from "../mcp/oauth-refused.ts";
import { type Access, PeerError, SignInNeeded } from "../mcp/peer.ts";
import type { Means } from "../servers/check.ts";
import { type Grant, isUsable, openTokens, readGrant } from "./grants.ts";
import { renewGrant } from "./refresh.ts";
import { markNeedsReauth, markNeedsScope } from "./transitions.ts";

/** So long a token is used without another look; a connection that somebody ends wakes its watcher besides. */
const LOOK_AGAIN_MS = 60_000;
/** An authorization server that is away is left alone this long while the old token works. */
const RETRY_MS = 15_000;

export class GrantAccess implements Access {
  #means: Means;
  #organizationId: string;
  #connectionId: string;
  #token: string | null = null;
  /** Which tokens they are. */
  #version: bigint | null = null;
  /** Until then it is used; monotonic. */
  #until = 0;
  #asking: Promise<string> | null = null;
  /** The tokens changed while they were asked for: what comes of that is good for one call. */
  #isOutdated = false;

  constructor(means: Means, organizationId: string, connectionId: string) {
    this.#means = means;
    this.#organizationId = organizationId;
    this.#connectionId = connectionId;
  }

  current(): string | null {
    return performance.now() < this.#until ? this.#token : null;
  }

  /** One question at a time, however many calls wait for it. */
  fresh(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async refused(token: string): Promise<boolean> {
    if (this.#asking) await this.#asking;
    // Others were refused before, and it was renewed for them.
    if (token !== this.#token) return true;
    const refused = this.#version;
    this.#until = 0;
    const grant = await this.#read();
    if (grant.version !== refused) return true;
    this.#asking ??= this.#renew(grant, 0).finally(() => {
      this.#asking = null;
    });
    await this.#asking;
    return true;
  }

  async exhausted(token: string, neededScope: string | null): Promise<void> {
    const seen = this.#version;
    if (token !== this.#token || seen === null) return;
    const grant = await this.#read();
    if (neededScope === null) this.#until = 0;
    // One that ran out on the way to the server proves nothing: the next one is tried in its turn.
    if (neededScope === null && grant.expiresInMs !== null && grant.expiresInMs <= 0) return;
    await this.#within((tx) =>
      neededScope === null
        ? markNeedsReauth(this.#organizationId, tx, grant, seen)
        : markNeedsScope(this.#organizationId, tx, grant, seen, neededScope),
    );
  }

  forget(): void {
    this.#until = 0;
    this.#isOutdated = true;
  }

  async #ask(): Promise<string> {
    this.#isOutdated = false;
    const grant = await this.#read();
    const isOver = grant.expiresInMs !== null && grant.expiresInMs <= 0;
    const isDue = grant.refreshInMs !== null && grant.refreshInMs <= 0;
    if (!isOver && !isDue) return this.#keep(grant, grant.refreshInMs ?? grant.expiresInMs);
    return this.#renew(grant, grant.expiresInMs ?? 0);
  }

  /** `stillGoodForMs`: how long the old token can take the new one's place. */
  async #renew(grant: Grant, stillGoodForMs: number): Promise<string> {
    if (!grant.renews) {
      await this.#within((tx) => markNeedsReauth(this.#organizationId, tx, grant, grant.version));
      throw needed(null);
    }
    try {
      const renewed = await renewGrant(this.#means, this.#organizationId, this.#connectionId, grant.version);
      if (!renewed || !isUsable(renewed)) throw needed(renewed);
      return this.#keep(renewed, renewed.refreshInMs ?? renewed.expiresInMs);
    } catch (error) {
      if (!(error instanceof OAuthRefused)) throw error;
      if (stillGoodForMs > 0) return this.#keep(grant, Math.min(RETRY_MS, stillGoodForMs));
      throw new PeerError("unreachable", "no", "The authorization server can't be reached", { cause: error });
    }
  }

  #keep(grant: Grant, forMs: number | null): string {
    const tokens = openTokens(this.#means.seal, this.#organizationId, grant);
    if (!tokens) throw needed(null);
    this.#token = tokens.accessToken;
    this.#version = grant.version;
    const keepMs = this.#isOutdated ? 0 : Math.min(LOOK_AGAIN_MS, forMs ?? LOOK_AGAIN_MS);
    this.#until = performance.now() + keepMs;
    return tokens.accessToken;
  }

  /** Throws SignInNeeded where no calls can be made on it. */
  async #read(): Promise<Grant> {
    const grant = await this.#within((tx) => readGrant(this.#organizationId, tx, this.#connectionId));
    if (!grant || !isUsable(grant)) throw needed(grant);
    return grant;
  }

  #within<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#means.db.withOrganization(this.#organizationId, work);
  }
}

function needed(grant: Grant | null): SignInNeeded {
  return new SignInNeeded(
    grant === null || grant.state === "revoked"
      ? "Nobody is signed in at this server."
      : "Somebody has to sign in at this server again.",
  );
}
