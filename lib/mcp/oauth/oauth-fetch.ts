/** OAuth requests: https, limited in time and size, through the guarded network. */
import type { z } from "zod";
import type { Network } from "../../base/network/network.ts";
import { hasShortHost } from "../../text/foreign/address.ts";

/** The deadline of one exchange with an authorization server, body included. */
const DEADLINE_MS = 8_000;
/** Generous: metadata and tokens take a few kilobytes. */
const MOST_BYTES = 256 * 1024;

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a fetch for the official client's functions. Throws OAuthRefused. `mayStart` is called right before
 * each request; throwing there prevents the request.
 */
export function oauthFetch(network: Network, mayStart: () => void = () => {}): OAuthFetch {
  return async (url, init) => {
    const target = requireSecure(network, url);
    mayStart();
    try {
      const inTime = { ...init, signal: AbortSignal.timeout(DEADLINE_MS) };
      // Not on a kept connection: if one died, a single-use refresh token might or might not be used up.
      const reply = await network.fetch(target, inTime, "held");
      const { status, statusText, headers } = reply;
      // Some statuses forbid a body, even an empty one.
      const body = reply.body === null ? null : await readAll(reply.body);
      return new Response(body, { status, statusText, headers });
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

/**
 * Wraps `ask` so that the official client gets of a document only what `schema` reads. It refuses a whole document
 * for one member, also for one that nobody uses. Empty members count as absent first: null, `""` and lists without
 * elements, which RFC 8414 (3.2) forbids and many servers send. Replies outside 2xx stay as they are; for a document
 * that `schema` refuses, the returned fetch throws OAuthRefused(`code`).
 */
export function reading(ask: OAuthFetch, schema: z.ZodType, code: OAuthRefusal): OAuthFetch {
  return async (url, init) => {
    const reply = await ask(url, init);
    if (!reply.ok) return reply;
    const { data } = schema.safeParse(withoutEmpty(await objectIn(reply)));
    if (!data) throw new OAuthRefused(code);
    return Response.json(data);
  };
}

/**
 * Returns the JSON object in a reply's body, or null if there is none. Texts that no parser of addresses should get
 * count as absent.
 */
export async function objectIn(reply: Response): Promise<Record<string, unknown> | null> {
  const value: unknown = await reply.json().catch(() => null);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const isSound = (each: unknown) => typeof each !== "string" || hasShortHost(each);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => isSound(each))
      .map(([name, each]) => [name, Array.isArray(each) ? each.filter(isSound) : each]),
  );
}

function withoutEmpty(document: Record<string, unknown> | null): Record<string, unknown> | null {
  const isEmpty = (value: unknown) =>
    value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return document && Object.fromEntries(Object.entries(document).filter(([, value]) => !isEmpty(value)));
}

/** Accepts https, and http for hosts that the operator named (A15). Throws OAuthRefused. */
export function requireSecure(network: Network, url: string | URL): URL {
  if (!URL.canParse(url)) throw new OAuthRefused("metadata_invalid");
  const target = new URL(url);
  const isSecure = target.protocol === "https:" || (target.protocol === "http:" && network.isNamed(target));
  if (!isSecure || target.username !== "" || target.password !== "")
    throw new OAuthRefused("insecure_endpoint");
  return target;
}

export function refusalOf(error: unknown): OAuthRefused {
  if (error instanceof OAuthRefused) return error;
  // Also for an address that is not allowed, which the other side chose.
  return new OAuthRefused("unreachable");
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    // Throwing here cancels the stream and its connection.
    if (size > MOST_BYTES) throw new OAuthRefused("unreachable");
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

/** Reasons why a sign-in at an authorization server failed. lib/servers/connections/oauth-words.ts has words for each. */
export const OAUTH_REFUSALS = [
  "unreachable",
  "server_failed",
  "insecure_endpoint",
  "no_authorization_server",
  "metadata_missing",
  "metadata_invalid",
  "metadata_issuer",
  "resource_mismatch",
  "pkce_unsupported",
  "registration_unavailable",
  "registration_refused",
  "issuer_changed",
  "client_refused",
  "scope_refused",
  "denied",
  "sign_in_failed",
  "issuer_mismatch",
  "malformed",
  "flow_unknown",
  "not_allowed",
  "grant_refused",
  "token_refused",
  "token_unusable",
] as const;
export type OAuthRefusal = (typeof OAUTH_REFUSALS)[number];

/**
 * A failed OAuth step. The code is public. The other side's texts are dropped, as message and as cause: they
 * may come from an attacker, or reveal private networks.
 */
export class OAuthRefused extends Error {
  readonly code: OAuthRefusal;
  constructor(code: OAuthRefusal) {
    super(code);
    this.name = "OAuthRefused";
    this.code = code;
  }
}
