/**
 * Microsoft on this machine, as far as a bot at Teams meets it: Entra's sign-in and tokens, the keys with which Teams signs its calls, and
 * the Bot Connector (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference). It refuses what
 * Microsoft refuses.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { refusedInCard } from "./cards.ts";

export const SECRETS = {
  appId: "11111111-2222-4333-8444-555555555555",
  tenantId: "66666666-7777-4888-9999-000000000000",
  clientSecret: "the~secret.of-the-app_1234567890",
};

export interface TeamsMessage {
  conversation: string;
  id: string;
  text: string | null;
  summary: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  card: any;
  /** How often it was edited. */
  edits: number;
}

/** Which calls a fault meets: for a token, or by the verb of the Bot Connector. */
type Met = "token" | "post" | "edit";

/** What is answered instead. `lose`: it is done, and the answer is lost; `hold`: it never comes. */
type Fault =
  | { status: number; code?: string; retryAfter?: number; done?: true; meanwhile?: () => Promise<void> }
  | { lose: true }
  | { hold: true };

export interface TeamsServer {
  url: string;
  hostAndPort: string;
  /** Each once, unless `always`. */
  faults: { met: Met; fault: Fault; always?: true }[];
  calls: { met: Met; token: string | null }[];
  /** In the order in which they were posted. */
  messages: TeamsMessage[];
  /** Who signs in at Microsoft next. */
  signedIn: { tid: string; oid: string; name: string };
  /** Deletes a message as a person does. */
  remove(id: string): void;
  /** From now on, tokens of before are refused. */
  forgetTokens(): void;
  /** Says yes at Microsoft's sign-in: returns the address to which the browser goes back. */
  authorize(url: string): Promise<string>;
  /** The header with which Teams sends an activity. */
  sign(claims?: {
    issuer?: string;
    audience?: string;
    serviceurl?: string | null;
    expires?: number;
    key?: Key;
  }): Promise<string>;
  clear(): void;
  close(): Promise<void>;
}

/** `other`: endorsed for another channel; `unknown`: not among Microsoft's. */
type Key = "teams" | "other" | "unknown";

export async function startTeams(): Promise<TeamsServer> {
  const keys = {
    teams: await generateKeyPair("RS256"),
    other: await generateKeyPair("RS256"),
    unknown: await generateKeyPair("RS256"),
  };
  const codes = new Map<string, { nonce: string; who: TeamsServer["signedIn"] }>();
  let tokens = new Set<string>();
  let posted = 0;
  const server = createServer((request, response) => {
    receive(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${hostAndPort}`;

  const issuer = () => `${url}/${teams.signedIn.tid}/v2.0`;

  /** Returns a status and a body. */
  function token(fields: URLSearchParams): [number, object] {
    if (fields.get("client_id") !== SECRETS.appId) return [400, { error: "unauthorized_client" }];
    if (fields.get("client_secret") !== SECRETS.clientSecret) return [401, { error: "invalid_client" }];
    if (fields.get("grant_type") === "client_credentials") {
      if (fields.get("scope") !== `${url}/.default`) return [400, { error: "invalid_scope" }];
      const access = randomBytes(12).toString("hex");
      tokens.add(access);
      return [200, { token_type: "Bearer", expires_in: 3599, access_token: access }];
    }
    const known = codes.get(fields.get("code") ?? "");
    codes.delete(fields.get("code") ?? "");
    if (!known) return [400, { error: "invalid_grant" }];
    const { nonce, who } = known;
    const claims = {
      iss: issuer(),
      aud: SECRETS.appId,
      exp: Math.floor(Date.now() / 1000) + 300,
      nonce,
      ...who,
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    return [
      200,
      { id_token: `${part({ alg: "RS256" })}.${part(claims)}.x`, access_token: "x", expires_in: 3599 },
    ];
  }

  // biome-ignore lint/suspicious/noExplicitAny: of any activity
  function post(conversation: string, activity: any): [number, object] {
    const refused = refusedActivity(activity);
    if (refused) return refused;
    // Teams' ids are times.
    const id = String(Date.now() * 1000 + ++posted);
    teams.messages.push({ conversation, id, ...shownIn(activity), edits: 0 });
    return [201, { id }];
  }

  // biome-ignore lint/suspicious/noExplicitAny: of any activity
  function edit(conversation: string, id: string, activity: any): [number, object] {
    const refused = refusedActivity(activity);
    if (refused) return refused;
    const message = teams.messages.find((each) => each.conversation === conversation && each.id === id);
    if (!message) return [404, { error: { code: "ActivityNotFoundInConversation", message: "Not found" } }];
    Object.assign(message, shownIn(activity), { edits: message.edits + 1 });
    return [200, { id }];
  }

  /** Returns the address to which the browser goes back. Throws where Microsoft shows an error. */
  function authorize({ pathname, searchParams }: URL): string {
    if (pathname !== `/${SECRETS.tenantId}/oauth2/v2.0/authorize`)
      throw new Error(`no sign-in at ${pathname}`);
    if (searchParams.get("client_id") !== SECRETS.appId) throw new Error("another app");
    const code = randomBytes(8).toString("hex");
    codes.set(code, { nonce: searchParams.get("nonce") ?? "", who: { ...teams.signedIn } });
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", searchParams.get("state") ?? "");
    return back.href;
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", url);
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (pathname === "/v1/.well-known/openidconfiguration")
      return void answer(200, { issuer: url, jwks_uri: `${url}/v1/.well-known/keys` });
    if (pathname === "/v1/.well-known/keys") {
      const known = await Promise.all(
        (["teams", "other"] as const).map(async (kid) => ({
          ...(await exportJWK(keys[kid].publicKey)),
          ...{ kid, use: "sig", endorsements: [kid === "teams" ? "msteams" : "webchat"] },
        })),
      );
      return void answer(200, { keys: known });
    }
    if (pathname.endsWith("/oauth2/v2.0/authorize")) {
      const location = authorize(new URL(request.url ?? "/", url));
      return void response.writeHead(302, { location }).end();
    }
    const activities = /^\/teams\/v3\/conversations\/([^/]+)\/activities(?:\/([^/]+))?$/.exec(pathname);
    const met: Met | null = pathname.endsWith("/oauth2/v2.0/token")
      ? "token"
      : activities && request.method === "POST"
        ? "post"
        : activities && request.method === "PUT"
          ? "edit"
          : null;
    if (!met) return void answer(404, { error: { code: "NotFound" } });
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? null;
    teams.calls.push({ met, token: given });
    const found = teams.faults.find((each) => each.met === met);
    if (found && !found.always) teams.faults.splice(teams.faults.indexOf(found), 1);
    const fault = found?.fault;
    const act = (): [number, object] => {
      if (met === "token") return token(new URLSearchParams(body.toString()));
      if (given === null || !tokens.has(given)) return [401, { error: { code: "Unauthorized" } }];
      if (body.length > 28 * 1024) return [413, { error: { code: "MessageSizeTooBig" } }];
      const [, conversation = "", id = ""] = (activities ?? []).map((each) => decodeURIComponent(each ?? ""));
      const activity = JSON.parse(body.toString());
      return met === "post" ? post(conversation, activity) : edit(conversation, id, activity);
    };
    if (fault && "hold" in fault) return void act();
    if (fault && "lose" in fault) {
      act();
      return void response.destroy();
    }
    if (fault) {
      if (fault.done) act();
      await fault.meanwhile?.();
      const code = fault.code ?? "ServiceError";
      const headers: Record<string, string> =
        fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return void answer(fault.status, { error: met === "token" ? code : { code, message: "No" } }, headers);
    }
    answer(...act());
  }

  const teams: TeamsServer = {
    url,
    hostAndPort,
    faults: [],
    calls: [],
    messages: [],
    signedIn: { tid: SECRETS.tenantId, oid: personOf(1), name: "Ben at Work" },
    remove(id) {
      teams.messages = teams.messages.filter((message) => message.id !== id);
    },
    forgetTokens() {
      tokens = new Set();
    },
    authorize: async (text) => authorize(new URL(text)),
    async sign({
      issuer: by = url,
      audience = SECRETS.appId,
      serviceurl = `${url}/teams`,
      expires = 300,
      key = "teams",
    } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const token = await new SignJWT(serviceurl === null ? {} : { serviceurl })
        .setProtectedHeader({ alg: "RS256", kid: key })
        .setIssuer(by)
        .setAudience(audience)
        .setNotBefore(now - 10)
        .setExpirationTime(now + expires)
        .sign(keys[key].privateKey);
      return `Bearer ${token}`;
    },
    clear() {
      teams.faults.length = 0;
      teams.calls.length = 0;
      teams.messages.length = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return teams;
}

/** The object id of a person in the tenant. */
export const personOf = (number: number): string =>
  `aaaaaaaa-bbbb-4ccc-8ddd-${String(number).padStart(12, "0")}`;

// biome-ignore lint/suspicious/noExplicitAny: of any activity
function refusedActivity(activity: any): [number, object] | null {
  const bad = (message: string): [number, object] => [400, { error: { code: "BadSyntax", message } }];
  if (activity.type !== "message") return bad("no message");
  if (!activity.text && !activity.attachments?.length) return bad("it is empty");
  for (const { contentType, content } of activity.attachments ?? []) {
    if (contentType !== "application/vnd.microsoft.card.adaptive") return bad(`no ${contentType}`);
    const refused = refusedInCard(content);
    if (refused) return bad(refused);
  }
  return null;
}

// biome-ignore lint/suspicious/noExplicitAny: of any activity
const shownIn = ({ text = null, summary = null, attachments }: any) => ({
  text,
  summary,
  card: attachments?.[0]?.content ?? null,
});
