/**
 * Believes a call of Teams by its token alone
 * (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication): no session and no secret of ours is
 * involved.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from "jose";
import { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import { type Network, receiverUrl } from "../../base/network/network.ts";
import type { Cloud } from "../../outbound/teams/cloud.ts";

interface Means {
  network: Network;
  cloud: Cloud;
}

/** Time for Microsoft to respond. Teams waits for our answer meanwhile. */
const KEYS_TIMEOUT_MS = 5_000;
/** Microsoft asks to read its keys again once a day. */
const KEYS_MS = 24 * 3600_000;
/** Keys are asked for again at most so often for one that is not there, whatever strangers send. */
const ASKED_AGAIN_MS = 60_000;
const CLOCK_SECONDS = 300;

/** Throws `unauthenticated` unless Teams made this token for this bot, and for an activity from this address. */
export async function believeTeams(
  means: Means,
  authorization: string | null,
  { appId, serviceUrl }: { appId: string; serviceUrl: string },
): Promise<void> {
  const token = /^Bearer ([\w.-]{1,10000})$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw notFromTeams();
  const check = async (keys: Keys) => {
    const { payload, protectedHeader } = await jwtVerify(token, keys.set, {
      algorithms: ["RS256"],
      issuer: means.cloud.issuer,
      audience: appId,
      requiredClaims: ["exp", "serviceurl"],
      clockTolerance: CLOCK_SECONDS,
    });
    // A key that is endorsed for other channels proves nothing of Teams.
    return keys.ofTeams.has(protectedHeader.kid ?? "") && payload.serviceurl === serviceUrl;
  };
  try {
    const isBelieved = await check(await keysOf(means)).catch(async (error: unknown) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return check(await keysOf(means, true));
    });
    if (isBelieved) return;
  } catch (error) {
    // Of jose: the message says nothing of the token.
    if (!(error instanceof errors.JOSEError)) throw error;
    log.info({ why: error.message }, "a call to the bot at Teams was refused");
  }
  throw notFromTeams();
}

/** The same for an organization that has not set Teams up, or is none. */
export function notFromTeams(): AppError {
  return new AppError("unauthenticated", "Teams did not send this to the organization’s app.");
}

interface Keys {
  set: ReturnType<typeof createLocalJWKSet>;
  /** Ids of those that are endorsed for Teams. */
  ofTeams: Set<string>;
}

/** By the address of their metadata. `askedAt`: by performance.now(). */
const kept = new Map<string, { keys: Promise<Keys>; askedAt: number }>();

async function keysOf(means: Means, anew = false): Promise<Keys> {
  const { metadataUrl } = means.cloud;
  const known = kept.get(metadataUrl);
  if (known && performance.now() - known.askedAt < (anew ? ASKED_AGAIN_MS : KEYS_MS)) return known.keys;
  const asked = { keys: askKeys(means), askedAt: performance.now() };
  kept.set(metadataUrl, asked);
  asked.keys.catch(() => {
    if (kept.get(metadataUrl) === asked) kept.delete(metadataUrl);
  });
  return asked.keys;
}

const metadataSchema = z.object({ jwks_uri: z.url() });
const keysSchema = z.object({
  keys: z.array(z.looseObject({ kid: z.string(), endorsements: z.array(z.string()).default([]) })),
});

/** Throws `server_unavailable`. */
async function askKeys({ network, cloud }: Means): Promise<Keys> {
  const read = async (url: string): Promise<unknown> => {
    const reply = await network.fetch(receiverUrl(network, url), {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(KEYS_TIMEOUT_MS),
    });
    if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}`);
    return reply.json();
  };
  try {
    const { jwks_uri } = metadataSchema.parse(await read(cloud.metadataUrl));
    const { keys } = keysSchema.parse(await read(jwks_uri));
    const ofTeams = keys.filter(({ endorsements }) => endorsements.includes("msteams"));
    return {
      set: createLocalJWKSet({ keys } as unknown as JSONWebKeySet),
      ofTeams: new Set(ofTeams.map(({ kid }) => kid)),
    };
  } catch (cause) {
    throw new AppError("server_unavailable", "Microsoft’s keys can’t be read.", { cause });
  }
}
