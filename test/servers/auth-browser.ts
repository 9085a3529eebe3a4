/**
 * A browser that signs in: it keeps cookies by their paths and follows redirects. Intray's own addresses are
 * answered by the handlers, as functions; a provider's by the provider, over HTTP.
 */
import { ORIGIN } from "../web.ts";

interface Cookie {
  name: string;
  value: string;
  path: string;
  attributes: string;
}

export interface Stop {
  url: string;
  status: number;
  text: string;
}

type Auth = (request: Request, path: string[]) => Promise<Response>;

export class AuthBrowser {
  readonly #cookies = new Map<string, Map<string, Cookie>>();
  readonly #auth: Auth;
  readonly #address: string;
  readonly #origin: string;

  constructor(auth: Auth, address = "10.0.0.1", origin = ORIGIN) {
    this.#auth = auth;
    this.#address = address;
    this.#origin = origin;
  }

  /** Takes over another browser's cookies of Intray, but for its session: the same browser at another address. */
  with(other: AuthBrowser): this {
    const jar = new Map(
      other
        .cookies()
        .flatMap((one) => (/session-token/.test(one.name) ? [] : [[`${one.name} ${one.path}`, one]])),
    );
    this.#cookies.set(this.#origin, jar);
    return this;
  }

  /** Loses its session of Intray's, and nothing of a provider's. */
  forgetSession(): void {
    const jar = this.#cookies.get(this.#origin);
    for (const [key, { name }] of jar ?? []) if (/session-token/.test(name)) jar?.delete(key);
  }

  /** Cookies in the form of a `Cookie` header, which Intray's handlers take. */
  cookie(url = this.#origin): string {
    const { origin, pathname } = new URL(url);
    return [...(this.#cookies.get(origin)?.values() ?? [])]
      .filter(({ path }) => pathname.startsWith(path) || path === "/")
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  /** Intray's cookies, with their attributes. */
  cookies(): Cookie[] {
    return [...(this.#cookies.get(this.#origin)?.values() ?? [])];
  }

  /** Sends one request, without following redirects. */
  async send(url: string, form?: Record<string, string>): Promise<Response> {
    const target = new URL(url, this.#origin);
    const headers: Record<string, string> = { cookie: this.cookie(target.href) };
    const init: RequestInit = { headers, redirect: "manual" };
    if (form) {
      init.method = "POST";
      init.body = new URLSearchParams(form).toString();
      headers["content-type"] = "application/x-www-form-urlencoded";
    }
    const response = await (target.origin === this.#origin ? this.#ours(target, init) : fetch(target, init));
    const jar = this.#cookies.get(target.origin) ?? new Map();
    this.#cookies.set(target.origin, jar);
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  }

  async #ours(target: URL, init: RequestInit): Promise<Response> {
    if (!target.pathname.startsWith("/api/auth/")) return new Response("a page of Intray's");
    const request = new Request(target, init);
    request.headers.set("host", target.host);
    request.headers.set("x-forwarded-for", this.#address);
    return this.#auth(request, target.pathname.split("/").slice(3));
  }

  /** Follows redirects to the first page that a person would see. */
  async go(url: string, form?: Record<string, string>): Promise<Stop> {
    let at = new URL(url, this.#origin).href;
    let response = await this.send(at, form);
    for (let hops = 0; response.status >= 300 && response.status < 400; hops++) {
      if (hops > 20) throw new Error(`too many redirects, at ${at}`);
      at = new URL(response.headers.get("location") ?? "", at).href;
      response = await this.send(at);
    }
    return { url: at, status: response.status, text: await response.text() };
  }

  /** Posts to next-auth as its own client does. Returns the address that it answers. */
  async post(path: string, values: Record<string, string>): Promise<string> {
    const { csrfToken } = (await (await this.send("/api/auth/csrf")).json()) as { csrfToken: string };
    const response = await this.send(`/api/auth/${path}`, { ...values, csrfToken, json: "true" });
    const { url } = (await response.json()) as { url: string };
    return url;
  }

  /** Signs in by one of our own methods. Returns null if signed in, else the error code. */
  async signIn(way: string, values: Record<string, string>): Promise<string | null> {
    return new URL(await this.post(`callback/${way}`, values)).searchParams.get("error");
  }

  /** Signs in at a provider with its own pages. Returns Intray's final address. */
  async signInAt(
    provider: string,
    login: string,
    callbackUrl = "/",
    more: Record<string, string> = {},
  ): Promise<URL> {
    let stop = await this.go(await this.post(`signin/${provider}`, { callbackUrl, ...more }));
    for (let pages = 0; new URL(stop.url).origin !== this.#origin && pages < 3; pages++) {
      const action = /<form[^>]* action="([^"]+)"/.exec(stop.text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(stop.text)?.[1];
      if (!action || !prompt) throw new Error(`no form at ${stop.url}: ${stop.text.slice(0, 500)}`);
      stop = await this.go(new URL(action, stop.url).href, { prompt, login, password: "any" });
    }
    return new URL(stop.url);
  }
}

function keep(jar: Map<string, Cookie>, line: string): void {
  const [pair = "", ...attributes] = line.split(/; */);
  const name = pair.slice(0, pair.indexOf("="));
  const value = pair.slice(pair.indexOf("=") + 1);
  const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
  const gone = value === "" || attributes.some((one) => /^max-age=0$/i.test(one));
  if (gone) jar.delete(`${name} ${path}`);
  else jar.set(`${name} ${path}`, { name, value, path, attributes: attributes.join("; ") });
}
