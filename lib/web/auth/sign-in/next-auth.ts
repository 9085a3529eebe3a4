/**
 * Calls next-auth with the parts of a request that it takes, and turns its answer into a Response. Without
 * Next's request scope, tests call it like every other handler.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import NextAuth, { type NextAuthOptions } from "next-auth";
import { cookiesOf } from "../session-cookie.ts";

/** `path`: the segments after `/api/auth/`, e.g. `["callback", "password"]`. `form`: the request's body, of a POST. */
export async function runNextAuth(
  request: Request,
  path: string[],
  form: URLSearchParams | null,
  options: NextAuthOptions,
): Promise<Response> {
  const [action] = path;
  // A link must not add parameters to the provider's address, so a sign-in drops the query.
  const asked = action === "signin" && request.method === "POST" ? "" : new URL(request.url).search;
  const reply = new Reply();
  await NextAuth(
    {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      cookies: cookiesOf(request),
      query: { ...Object.fromEntries(new URLSearchParams(asked)), nextauth: path.filter(Boolean) },
      body: form ? Object.fromEntries(form) : undefined,
    } as unknown as Parameters<typeof NextAuth>[0] & IncomingMessage,
    reply as unknown as Parameters<typeof NextAuth>[1] & ServerResponse,
    options,
  );
  return reply.toResponse();
}

/** The part of Node's ServerResponse that next-auth writes to. */
class Reply {
  #status = 200;
  #body: string | null = null;
  readonly #headers = new Map<string, string | string[]>();

  status(code: number): this {
    this.#status = code;
    return this;
  }
  getHeader(name: string) {
    return this.#headers.get(name.toLowerCase());
  }
  setHeader(name: string, value: string | string[]): this {
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }
  json(value: unknown): void {
    this.setHeader("content-type", "application/json");
    this.#body = JSON.stringify(value);
  }
  send(value: unknown): void {
    if (typeof value === "string" || value === undefined) this.#body = value ?? null;
    else this.json(value);
  }
  end(): void {}

  toResponse(): Response {
    const headers = new Headers({ "cache-control": "no-store" });
    for (const [name, value] of this.#headers) for (const one of [value].flat()) headers.append(name, one);
    return new Response(this.#body, { status: this.#status, headers });
  }
}
