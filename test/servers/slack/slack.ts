/**
 * Slack on this machine: a workspace with people, which speaks the Web API (https://docs.slack.dev/apis/web-api) as documented and signs
 * what it sends as Slack does (https://docs.slack.dev/authentication/verifying-requests-from-slack).
 */
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { acceptSockets, type SlackSocket } from "./sockets.ts";

export const APP_TOKEN = "xapp-1-a1-2222-theapp";
export const SECRETS = {
  botToken: "xoxb-1111-2222-thebot",
  signingSecret: "0123456789abcdef0123456789abcdef",
  clientId: "1111.2222",
  clientSecret: "fedcba9876543210fedcba9876543210",
};

export interface SlackMessage {
  channel: string;
  ts: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  blocks: any[];
  metadata: { event_type: string; event_payload: { id: string } } | null;
  /** How often it was edited. */
  edits: number;
}

interface SlackCall {
  method: string;
  token: string | null;
  fields: Record<string, string>;
}

/**
 * What a method answers instead of doing it. `lose`: it does it, and the answer is lost; `hold`: it never comes; `done`: it does it
 * before it answers with the error. `meanwhile`: what happens before the answer.
 */
export type Fault =
  | { error: string; done?: true; meanwhile?: () => Promise<void> }
  | { retryAfter: number }
  | { status: number }
  | { lose: true }
  | { hold: true };

export interface SlackServer {
  url: string;
  hostAndPort: string;
  teamId: string;
  /** Tells the conversations of one app from those of another, which it can't reach. */
  app: string;
  /** By the method that they meet; each once, unless `always`. */
  faults: { method: string; fault: Fault; always?: true }[];
  /** The fault of a call that meets none of those; null: there is none. */
  plan: ((method: string) => Fault | null) | null;
  calls: SlackCall[];
  /** In the order in which they were posted. */
  messages: SlackMessage[];
  ephemerals: { channel: string; user: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  views: { triggerId: string; view: any }[];
  /** Whether a socket that is opened is ready at once. */
  saysHello: boolean;
  /** Sockets that were opened with the app-level token (Socket Mode), and are still open. */
  sockets: SlackSocket[];
  /** Who signs in at Slack next. */
  signedIn: { teamId: string; userId: string; name: string };
  /** Removes a message as a person does. */
  remove(ts: string): void;
  /** Says yes at Slack's sign-in page: returns the address to which the browser goes back. */
  authorize(url: string): Promise<string>;
  /** Nothing is known of earlier calls any more. */
  clear(): void;
  close(): Promise<void>;
}

export async function startSlack(): Promise<SlackServer> {
  const codes = new Map<string, { nonce: string; who: SlackServer["signedIn"] }>();
  const server = createServer((request, response) => {
    receive(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let posted = 0;

  const authorize = (url: URL): string => {
    const asked = url.searchParams;
    const code = randomBytes(8).toString("hex");
    codes.set(code, { nonce: asked.get("nonce") ?? "", who: { ...slack.signedIn } });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return back.href;
  };

  const isReached = ({ channel = "" }: Record<string, string>) => channel.startsWith(`D${slack.app}U`);
  const methods: Record<string, (fields: Record<string, string>) => object> = {
    "auth.test": () => ({
      team: "Acme Workspace",
      team_id: slack.teamId,
      user: "intray",
      user_id: "UBOT",
      bot_id: "B1",
    }),
    "conversations.open": ({ users }) => ({ channel: { id: `D${slack.app}${users}` } }),
    "chat.postMessage": (fields) => {
      if (!isReached(fields)) return { ok: false, error: "channel_not_found" };
      // Slack's times are of its own clock, and in order.
      const ts = `${Math.floor(Date.now() / 1000)}.${String(++posted).padStart(6, "0")}`;
      slack.messages.push({ ...messageOf(fields), ts, edits: 0 });
      return { channel: fields.channel, ts };
    },
    "chat.update": (fields) => {
      if (!isReached(fields)) return { ok: false, error: "channel_not_found" };
      const message = slack.messages.find(
        ({ channel, ts }) => channel === fields.channel && ts === fields.ts,
      );
      if (!message) return { ok: false, error: "message_not_found" };
      Object.assign(message, messageOf(fields), { edits: message.edits + 1 });
      return { channel: fields.channel, ts: fields.ts };
    },
    "chat.postEphemeral": ({ channel = "", user = "", text = "" }) => {
      slack.ephemerals.push({ channel, user, text });
      return { message_ts: "1.0" };
    },
    "conversations.history": ({ channel, oldest }) => ({
      messages: slack.messages
        .filter((message) => message.channel === channel && Number(message.ts) >= Number(oldest ?? 0))
        .map(({ ts, text, blocks, metadata }) => ({ type: "message", ts, text, blocks, metadata }))
        .reverse(),
    }),
    "apps.connections.open": () => ({ url: `ws://${hostAndPort}/link` }),
    "views.open": ({ trigger_id: triggerId = "", view = "null" }) => {
      slack.views.push({ triggerId, view: JSON.parse(view) });
      return { view: { id: `V${slack.views.length}` } };
    },
    "openid.connect.token": (fields) => {
      const { client_id, client_secret, code = "" } = fields;
      const known = codes.get(code);
      codes.delete(code);
      if (client_id !== SECRETS.clientId || client_secret !== SECRETS.clientSecret)
        return { ok: false, error: "bad_client_secret" };
      if (!known) return { ok: false, error: "invalid_code" };
      const claims = {
        iss: slack.url,
        aud: client_id,
        exp: Math.floor(Date.now() / 1000) + 300,
        nonce: known.nonce,
        "https://slack.com/team_id": known.who.teamId,
        "https://slack.com/user_id": known.who.userId,
        name: known.who.name,
      };
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return {
        access_token: "xoxp-1",
        token_type: "Bearer",
        id_token: `${part({ alg: "RS256" })}.${part(claims)}.sig`,
      };
    },
  };

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", slack.url);
    if (request.method === "GET" && url.pathname === "/openid/connect/authorize")
      return void response.writeHead(302, { location: authorize(url) }).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, method = ""] = /^\/api\/([\w.]+)$/.exec(url.pathname) ?? [];
    const answer = (body: object) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ok: true, ...body }));
    const carryOut = methods[method];
    if (!carryOut) return void answer({ ok: false, error: "unknown_method" });
    const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? null;
    slack.calls.push({ method, token, fields });
    const isMet = (each: (typeof slack.faults)[number]) => each.method === method;
    const met = slack.faults.find(isMet);
    if (met && !met.always) slack.faults.splice(slack.faults.indexOf(met), 1);
    const fault = met?.fault ?? slack.plan?.(method);
    if (fault && "retryAfter" in fault)
      return void response.writeHead(429, { "retry-after": String(fault.retryAfter) }).end();
    if (fault && "status" in fault) return void response.writeHead(fault.status).end("words of Slack");
    if (fault && "error" in fault) {
      await fault.meanwhile?.();
      if (fault.done) carryOut(fields);
      return void answer({ ok: false, error: fault.error });
    }
    const expected = method === "apps.connections.open" ? APP_TOKEN : SECRETS.botToken;
    if (method !== "openid.connect.token" && token !== expected)
      return void answer({ ok: false, error: "invalid_auth" });
    const result = carryOut(fields);
    if (fault && "hold" in fault) return;
    if (fault) return void response.destroy();
    answer(result);
  };

  const slack: SlackServer = {
    url: `http://${hostAndPort}`,
    hostAndPort,
    teamId: "T1",
    app: "",
    faults: [],
    plan: null,
    calls: [],
    messages: [],
    ephemerals: [],
    views: [],
    saysHello: true,
    sockets: acceptSockets(server, () => slack.saysHello),
    signedIn: { teamId: "T1", userId: "U1", name: "Ben at Slack" },
    remove(ts) {
      slack.messages = slack.messages.filter((message) => message.ts !== ts);
    },
    authorize: async (url) => authorize(new URL(url)),
    clear() {
      for (const list of [slack.faults, slack.calls, slack.messages, slack.ephemerals, slack.views])
        list.length = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return slack;
}

function messageOf({ channel = "", text = "", blocks = "[]", metadata }: Record<string, string>) {
  return { channel, text, blocks: JSON.parse(blocks), metadata: metadata ? JSON.parse(metadata) : null };
}

/** The headers with which Slack sends a body. `at`: its time, in ms. */
export function signed(
  body: string,
  { secret = SECRETS.signingSecret, at = Date.now() } = {},
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${digest}`,
  };
}

/** All texts of a message, in order. */
export function textsOf({ blocks }: Pick<SlackMessage, "blocks">): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: of any block
  return blocks.flatMap((block: any) =>
    [block.text, ...(block.elements ?? [])].flatMap((part) =>
      typeof part?.text === "string"
        ? [part.text]
        : typeof part?.text?.text === "string"
          ? [part.text.text]
          : [],
    ),
  );
}
