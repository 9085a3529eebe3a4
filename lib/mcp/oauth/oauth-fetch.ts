/** The way of OAuth to the outside: https, bounded in time and size, and through the guarded network. */
import { type Network, NetworkError } from "../../base/network.ts";
import { OAuthRefused } from "./oauth-refused.ts";

/** One exchange with an authorization server, its body included. */
const DEADLINE_MS = 8_000;
/** Metadata and tokens are a few kilobytes. */
const MOST_BYTES = 256 * 1024;

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * For the official client's functions. Throws OAuthRefused. `mayStart` is asked just before a request goes out: what
 * it throws ends it unsent.
 */
export function oauthFetch(network: Network, mayStart: () => void = () => {}): OAuthFetch {
  return async (url, init) => {
    const target = requireSecure(network, url);
    mayStart();
    try {
      const inTime = { ...init, signal: AbortSignal.timeout(DEADLINE_MS) };
      // Nobody would know whether a kept connection that died took a refresh token with it, which is good for one use.
      const reply = await network.fetch(target, inTime, "held");
      const { status, statusText, headers } = reply;
      // A status without a body takes none.
      const body = reply.body === null ? null : await readAll(reply.body);
      return new Response(body, { status, statusText, headers });
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

/** https, or http where the operator named the host (A15). Throws OAuthRefused. */
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
  return new OAuthRefused(error instanceof NetworkError ? "address_not_allowed" : "unreachable");
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream, and with it the connection.
    if (size > MOST_BYTES) throw new OAuthRefused("unreachable");
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
