/**
 * Back-channel logout (OpenID Connect Back-Channel Logout 1.0): a provider says by a signed token that somebody has signed
 * out there, or may sign in there no more. No browser and no session is involved: the signature is all that there is.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { Prisma } from "../../../base/db/db.ts";
import { AppError } from "../../../base/errors.ts";
import { log } from "../../../base/log.ts";
import { database } from "../../database.ts";
import { readForm } from "../../http/body.ts";
import { operatorNetwork } from "../../services.ts";
import {
  LOGOUT_CLOCK_SECONDS,
  LOGOUT_TOKEN_SECONDS,
  PROVIDER_KEYS_ASKED_MS,
  PROVIDER_TIMEOUT_MS,
} from "../../tunables.ts";
import { discover, type ProviderMetadata } from "./discovery.ts";
import type { SignInProvider } from "./providers.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** How providers name the type of a logout token; many name none of its own. */
const TYPES = ["logout+jwt", "jwt"];

/** What a token says once it is believed. */
interface Logout {
  subject: string | null;
  /** The provider's session that ended; null: all of the subject's. */
  session: string | null;
  jti: string;
  /** When it is too old to be taken again. */
  until: Date;
}

/** The token is not to be believed. The message is for the log and for the provider's operator. */
class LogoutRefused extends Error {}

/** Answers a provider's logout call: 200, or 400 with the spec's body for a token that is not to be believed. */
export async function takeLogout(request: Request, provider: SignInProvider): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  try {
    const token = (await readForm(request)).get("logout_token");
    if (!token) throw new LogoutRefused("there is no logout_token");
    const ended = await carryOut(provider, await believe(provider, token));
    log.info({ provider: provider.id, ended }, "a provider signed somebody out");
    return new Response(null, { status: 200, headers });
  } catch (error) {
    if (!(error instanceof LogoutRefused)) throw error;
    log.warn({ provider: provider.id, why: error.message }, "a logout token was refused");
    const body = { error: "invalid_request", error_description: error.message };
    return Response.json(body, { status: 400, headers });
  }
}

/** Postgres keeps no NUL, and nobody needs control characters here. */
const word = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}+$/u);
const claimsSchema = z.looseObject({
  sub: word.optional(),
  sid: word.optional(),
  jti: word,
  iat: z.number(),
  events: z.looseObject({ [EVENT]: z.looseObject({}) }),
});

/** Checks a logout token as section 2.6 says. Throws LogoutRefused. */
async function believe(provider: SignInProvider, token: string): Promise<Logout> {
  const payload = await checkSignature(provider, token);
  if ("nonce" in payload) throw new LogoutRefused("a logout token has no nonce");
  const parsed = claimsSchema.safeParse(payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new LogoutRefused(`the claim ${String(issue?.path[0])} is missing or wrong`);
  }
  const { sub, sid, jti, iat } = parsed.data;
  if (sub === undefined && sid === undefined) throw new LogoutRefused("there is neither sub nor sid");
  const until = new Date((iat + LOGOUT_TOKEN_SECONDS + LOGOUT_CLOCK_SECONDS) * 1000);
  return { subject: sub ?? null, session: sid ?? null, jti, until };
}

/** By the provider's keys, RS256 only, as of ID tokens; for us, by this issuer, neither over nor old nor of the future. */
async function checkSignature(provider: SignInProvider, token: string): Promise<JWTPayload> {
  const metadata = await discover(provider.issuer).catch((cause: unknown) => {
    throw new AppError("server_unavailable", "The provider can't be asked for its keys. Try again.", {
      cause,
    });
  });
  const check = async (keys: ReturnType<typeof createLocalJWKSet>) =>
    jwtVerify(token, keys, {
      algorithms: ["RS256"],
      issuer: provider.issuer,
      audience: provider.clientId,
      requiredClaims: ["iat", "exp", "jti"],
      maxTokenAge: LOGOUT_TOKEN_SECONDS,
      clockTolerance: LOGOUT_CLOCK_SECONDS,
    });
  try {
    const { payload, protectedHeader } = await check(await keysOf(metadata)).catch(async (error: unknown) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return check(await keysOf(metadata, true));
    });
    const { typ } = protectedHeader;
    if (typ !== undefined && !TYPES.includes(typ.toLowerCase().replace(/^application\//, "")))
      throw new LogoutRefused("this is no logout token by its type");
    return payload;
  } catch (error) {
    // Of jose: the codes say what is wrong, and the messages nothing of the token.
    if (error instanceof errors.JOSEError) throw new LogoutRefused(error.message);
    throw error;
  }
}

interface Keys {
  set: Promise<ReturnType<typeof createLocalJWKSet>>;
  /** By performance.now(). */
  askedAt: number;
}

/** As long as what the provider said about itself is kept. */
const kept = new WeakMap<ProviderMetadata, Keys>();

/** The provider's keys. `anew`: asks again for one that is not there, though not in every call that a stranger makes. */
async function keysOf(metadata: ProviderMetadata, anew = false): Promise<Awaited<Keys["set"]>> {
  const known = kept.get(metadata);
  if (known && !(anew && performance.now() - known.askedAt > PROVIDER_KEYS_ASKED_MS)) return known.set;
  const keys = { set: askKeys(metadata), askedAt: performance.now() };
  kept.set(metadata, keys);
  keys.set.catch(() => {
    if (kept.get(metadata) === keys) kept.delete(metadata);
  });
  return keys.set;
}

async function askKeys({ jwks_uri }: ProviderMetadata): Promise<Awaited<Keys["set"]>> {
  const reply = await operatorNetwork().fetch(jwks_uri, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  });
  if (reply.status !== 200) {
    await reply.body?.cancel();
    throw new Error(`the provider's keys answered ${reply.status}`);
  }
  return createLocalJWKSet((await reply.json()) as JSONWebKeySet);
}

/** Ends what the token is about. Returns how many sessions ended. Throws LogoutRefused for a token that was taken before. */
async function carryOut(
  { id, issuer }: SignInProvider,
  { subject, session, jti, until }: Logout,
): Promise<number> {
  const db = await database();
  const [row] = await db.gate<{ ended: number | null }>(
    Prisma.sql`SELECT gate.provider_logout(${id}, ${issuer}, ${subject}::text, ${session}::text, ${jti},
      ${until}::timestamptz) AS ended`,
  );
  if (row?.ended == null) throw new LogoutRefused("this token was taken before");
  return row.ended;
}
