/** The web's handlers on a test database, called as functions: Next's code, without a server. */
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { encode } from "next-auth/jwt";
import { permissionsOf } from "../lib/access/permissions.ts";
import type { Role } from "../lib/access/roles.ts";
import { createDatabase, type Database, Prisma } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { forgetAll } from "../lib/base/process/process-wide.ts";
import { createMakerlessKey } from "../lib/people/api-keys/api-key-writes.ts";
import { addMember } from "../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../lib/people/organizations/organization-writes.ts";
import { withWholeBody } from "../lib/web/http/body.ts";
import type { Handler, Method } from "../lib/web/http/route.ts";
import { forFile } from "./for-file.ts";
import { createTestDatabase, type TestDatabase } from "./setup/postgres.ts";

const APP = join(import.meta.dirname, "../app");
const PARAMETER = /^\[\w+\]$/;
const SECRET = "a secret of the tests";
/** The origin of the tests' pages. */
export const ORIGIN = "http://localhost:3000";

/** The token of a link into an organization or to a password; empty if the link has none. */
export function tokenOf(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get("token") ?? "";
}

interface Options {
  key?: string;
  cookie?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Aborted when the caller leaves. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
}

export interface TestWeb {
  database: TestDatabase;
  /** As the database's owner; row security binds it too. */
  db: Database;
  /** The environment of an engine process that works on the same database. */
  engineEnvironment: Record<string, string>;
  call(method: Method, path: string, options?: Options): Promise<Answer>;
  /** As `call`, for an answer that streams. */
  open(method: Method, path: string, options?: Options): Promise<Response>;
  organization(slug: string): Promise<string>;
  key(organizationId: string, role: Role): Promise<string>;
  member(
    organizationId: string,
    name: string,
    role: Role,
  ): Promise<{ userId: string; memberId: string; cookie: string }>;
  /** Returns a cookie of a new session. */
  signIn(userId: string): Promise<string>;
  stop(): Promise<void>;
}

/** `settings` are environment variables; a handler is loaded after they are set, at the first call to it. */
export async function startWeb(settings: Record<string, string> = {}): Promise<TestWeb> {
  const database = await createTestDatabase();
  const keys = settings.INTRAY_KEYS ?? `k1:${Buffer.alloc(32, 1).toString("base64")}`;
  Object.assign(process.env, {
    APP_DATABASE_URL: database.appUrl,
    APP_DATABASE_DIRECT_URL: database.appDirectUrl,
    AUTH_SECRET: SECRET,
    INTRAY_KEYS: keys,
    INTRAY_URL: ORIGIN,
    LOG_LEVEL: "silent",
    // Nothing answers there: no test asks the machine's own resolvers.
    INTRAY_DNS_SERVERS: "127.0.0.1:9",
    INTRAY_SLACK_URL: "https://127.0.0.1:9",
    INTRAY_TEAMS_CLOUD: "https://127.0.0.1:9",
    ...settings,
  });
  forgetAll();
  const db = createDatabase(database.ownerUrl, { connections: 4 });

  const open: TestWeb["open"] = async (method, path, options = {}) => {
    const url = new URL(path, ORIGIN);
    const { handler, params } = await find(method, url.pathname);
    // As Next: a route without a parameter gets none at all.
    const given = Object.keys(params).length > 0 ? params : (undefined as never);
    return handler(toRequest(method, url, options), { params: Promise.resolve(given) });
  };
  const signIn: TestWeb["signIn"] = async (userId) => {
    const { credentialsEpoch, openSession } = await import("../lib/web/auth/sessions.ts");
    const browser = { userAgent: null, address: null };
    const sid = await openSession(userId, "password", browser, await credentialsEpoch(userId));
    // However long a test takes, its people have just shown that it is them.
    await db.gate(
      Prisma.sql`UPDATE session SET factor_at = 'infinity' WHERE user_id = ${userId}::uuid RETURNING id`,
    );
    return `next-auth.session-token=${await encode({ token: { sub: userId, sid }, secret: SECRET })}`;
  };
  return {
    database,
    db,
    engineEnvironment: {
      ENGINE_DATABASE_URL: database.engineUrl,
      ENGINE_DATABASE_DIRECT_URL: database.engineDirectUrl,
      INTRAY_KEYS: keys,
      INTRAY_ALLOW_HOSTS: settings.INTRAY_ALLOW_HOSTS ?? "",
    },
    open,
    signIn,
    async call(method, path, options) {
      const response = await open(method, path, options);
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === "" ? null : JSON.parse(text),
      };
    },
    async organization(slug) {
      const id = uuidv7();
      await db.withOrganization(id, (tx) => createOrganization(tx, { slug, name: slug }));
      return id;
    },
    async key(organizationId, role) {
      const made = await db.withOrganization(organizationId, (tx) =>
        // All of the role's by name, since some calls are for keys that name them.
        createMakerlessKey(tx, COMMAND_LINE, {
          name: role,
          role,
          permissions: permissionsOf(role),
        }),
      );
      return made.secret;
    },
    async member(organizationId, name, role) {
      const person = { email: `${name.toLowerCase()}-${organizationId}@test.example`, name, role };
      const { userId, memberId } = await db.withOrganization(organizationId, async (tx) => {
        const { userId } = await addMember(tx, COMMAND_LINE, person);
        const { id } = await tx.membership.findFirstOrThrow({ where: { organizationId, userId } });
        return { userId, memberId: id };
      });
      return { userId, memberId, cookie: await signIn(userId) };
    },
    async stop() {
      await db.close();
      const opened = await (await import("../lib/web/database.ts")).database();
      await opened.close();
      await database.drop();
    },
  };
}

type Settings = Record<string, string>;

/** A `startWeb()` for all tests of a file. A function reads settings once what they come from runs. */
export function webForFile(settings: Settings | (() => Settings) = {}): TestWeb {
  return forFile(
    () => startWeb(typeof settings === "function" ? settings() : settings),
    (web) => web.stop(),
  );
}

export interface ServedRoutes {
  origin: string;
  close(): Promise<void>;
}

/** Serves routes at an address, for programs of others. `paths`: as Next names them. `startWeb()` has set the settings. */
export async function serveRoutes(paths: string[]): Promise<ServedRoutes> {
  // Loaded once the settings are there.
  const { markDirect } = await import("../lib/web/auth/direct.ts");
  const { callServer } = await import("../lib/web/http/call-server.ts");
  const { markCaller } = await import("../lib/web/http/client-address.ts");
  const serve = callServer(paths, (path) => import(join(APP, path, "route.ts")));
  const server = createServer((request, response) => {
    markDirect(request);
    markCaller(request, 0);
    serve(request, response, () => response.writeHead(404).end());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Loads the route of a path as Next finds it: by the folders, where a fixed name goes before a parameter. */
async function find(
  method: Method,
  pathname: string,
): Promise<{ handler: Handler; params: Record<string, string> }> {
  const params: Record<string, string> = {};
  let folder = APP;
  for (const part of pathname.split("/").slice(1)) {
    const entries = entriesOf(folder);
    const name = entries.find((entry) => entry === part) ?? entries.find((entry) => PARAMETER.test(entry));
    if (name !== undefined && name !== part) params[name.slice(1, -1)] = part;
    folder = join(folder, name ?? part);
  }
  const isRoute = entriesOf(folder).includes("route.ts");
  const handlers: Partial<Record<Method, Handler>> = isRoute ? await import(join(folder, "route.ts")) : {};
  const handler = handlers[method];
  if (!handler) throw new Error(`no handler for ${method} ${pathname}`);
  return { handler, params };
}

/** Of each folder of routes, as it was when first asked for: a test may call thousands of paths. */
const known = new Map<string, string[]>();
function entriesOf(folder: string): string[] {
  const entries = known.get(folder) ?? (existsSync(folder) ? readdirSync(folder) : []);
  known.set(folder, entries);
  return entries;
}

function toRequest(method: Method, url: URL, { key, cookie, body, headers = {}, signal }: Options): Request {
  const all: Record<string, string> = { host: url.host, ...headers };
  if (key) all.authorization = `Bearer ${key}`;
  if (cookie) {
    all.cookie = cookie;
    all.origin ??= ORIGIN;
  }
  if (body !== undefined) all["content-type"] ??= "application/json";
  const init = { method, headers: all, ...(signal && { signal }) };
  if (body instanceof ReadableStream)
    return new Request(url, { ...init, body, ...{ duplex: "half" as const } });
  if (body === undefined) return new Request(url, init);
  // As it comes past Next (lib/web/http/call-server.ts), with its head.
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return withWholeBody(new Request(url, init), Buffer.from(text));
}
