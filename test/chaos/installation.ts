/** The processes of a run: two Postgres, the web app, two engines, sample servers behind bad networks. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { encode } from "next-auth/jwt";
import { permissionsOf } from "../../lib/access/permissions.ts";
import type { Role } from "../../lib/access/roles.ts";
import { createDatabase, Prisma } from "../../lib/base/db/db.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../lib/base/ids.ts";
import { createMakerlessKey } from "../../lib/people/api-keys/api-key-writes.ts";
import { addMember } from "../../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../lib/people/organizations/organization-writes.ts";
import { setQuota } from "../../lib/people/organizations/quota.ts";
import { readRecord } from "../../scripts/database/cluster.ts";
import { allowLogins, createOwner, withLogin } from "../../scripts/database/roles.ts";
import { migrate } from "../../scripts/migrate.ts";
import { freePort } from "../../scripts/ports.ts";
import type { Rival } from "./agents/approvals.ts";
import { type Guard, nodePart, type Part, type PostgresPart, postgresPart, startGuard } from "./parts.ts";
import type { PartKind } from "./plan.ts";
import { type BadNetwork, type ProxyOptions, startProxy } from "./proxy.ts";

export interface Keys {
  admin: string;
  operator: string;
  approvers: [string, string];
  /** Cookies of two people's sessions: what agents and programs ask of people, no key answers. */
  people: [string, string];
  /** They want to use the same approvals. */
  rivals: [Rival, Rival];
}

/** One sample server, reached by Intray through `proxyUrl`. */
export interface Sample {
  name: string;
  baseUrl: string;
  proxyUrl: string;
}

export interface Installation {
  /** Logs are in its `logs/`. */
  folder: string;
  url: string;
  keys: Keys;
  samples: Sample[];
  /** All run, but the clients of agents, which have to be told their work first. */
  parts: Record<PartKind, Part[]>;
  clientFiles: { work: string; notes: string };
  /** How often each part ended by itself. */
  ownEnds: Map<string, number>;
  /** Makes a further organization, with keys and people of its own. */
  openOrganization(slug: string): Promise<Keys>;
  /** Kills everything and removes the data; the logs too, unless they are kept. */
  end(how: { keepLogs: boolean }): Promise<void>;
}

/** Intray's own database, where it is not one of ours. */
export interface OwnDatabase {
  superuserUrl: string;
  end(): Promise<void>;
}

export interface InstallationOptions {
  /** Starts Intray's own database; by default a single Postgres. */
  database?: ((place: { folder: string; logs: string; guard: Guard }) => Promise<OwnDatabase>) | undefined;
  /** Slack, to which members link their accounts. */
  slack?: { url: string; hostAndPort: string } | undefined;
  samples: number;
  engines: number;
  proxy(sample: string): Pick<ProxyOptions, "plan" | "onFault">;
  signal: AbortSignal;
}

const READY_MS = 120_000;
const SESSION_MS = 24 * 3_600_000;
const PASSWORD = "intray-chaos";

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "intray-chaos-"));
  chmodSync(folder, 0o711);
  const logs = join(folder, "logs");
  mkdirSync(logs);
  const guard = startGuard();
  const parts: Record<PartKind, Part[]> = {
    engine: [],
    web: [],
    sample: [],
    postgres: [],
    client: [],
  };
  const proxies: BadNetwork[] = [];
  const ownEnds = new Map<string, number>();
  const dataDirs: string[] = [];
  let given: OwnDatabase | undefined;

  async function end({ keepLogs }: { keepLogs: boolean }): Promise<void> {
    const { postgres, ...others } = parts;
    await Promise.all(Object.values(others).flatMap((each) => each.map((part) => part.kill())));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(postgres.map((part) => part.kill()));
    await given?.end();
    guard.close();
    const elsewhere = dataDirs.flatMap((dataDir) => readRecord(dataDir).home ?? []);
    for (const path of [...elsewhere, ...(keepLogs ? dataDirs : [folder])])
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }

  async function addPostgres(name: string): Promise<PostgresPart> {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { mode: 0o711 });
    dataDirs.push(dataDir);
    const port = await freePort();
    const part = await postgresPart({ name, dataDir, port, superuserPassword: PASSWORD, guard });
    parts.postgres.push(part);
    return part;
  }

  const addNode = (
    kind: PartKind,
    name: string,
    script: string,
    environment: Record<string, string>,
    args: string[] = [],
  ) => {
    const onOwnEnd = () => ownEnds.set(name, (ownEnds.get(name) ?? 0) + 1);
    parts[kind].push(nodePart({ name, script, args, environment, logs, guard, onOwnEnd }));
  };

  async function behindBadNetwork(name: string, target: number, port: number): Promise<Sample> {
    const proxy = await startProxy({ port, target, ...options.proxy(name) });
    proxies.push(proxy);
    return { name, baseUrl: `http://127.0.0.1:${target}`, proxyUrl: proxy.url };
  }

  try {
    given = await options.database?.({ folder, logs, guard });
    const own = given ?? (await addPostgres("postgres"));
    const theirs = await addPostgres("sample-postgres");
    const authSecret = randomBytes(32).toString("base64url");
    const database = await prepareDatabase(own.superuserUrl, authSecret);
    const samples: Sample[] = [];
    for (let at = 0; at < options.samples; at++) {
      const name = `sample-${at + 1}`;
      await createOwner(theirs.superuserUrl, { role: "invoice", password: PASSWORD, database: name });
      const [port, proxyPort] = [await freePort(), await freePort()];
      addNode("sample", name, "examples/invoice-server/main.ts", {
        INVOICE_PORT: String(port),
        INVOICE_DATABASE_URL: databaseUrl(theirs.superuserUrl, "invoice", name),
        INVOICE_STEP_DELAY_MS: "300",
        INVOICE_RECONCILE_MS: "2000",
      });
      samples.push(await behindBadNetwork(name, port, proxyPort));
    }
    const [pairPort, pairProxyPort] = [await freePort(), await freePort()];
    addNode("sample", "pair", "test/chaos/pair-server.ts", {}, [
      String(pairPort),
      join(folder, "pair.ledger"),
    ]);
    samples.push(await behindBadNetwork("pair", pairPort, pairProxyPort));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const common = {
      PORT: String(port),
      HOST: "127.0.0.1",
      INTRAY_URL: url,
      INTRAY_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      INTRAY_ALLOW_HOSTS: [
        ...samples.map((sample) => new URL(sample.proxyUrl).host),
        ...(options.slack ? [options.slack.hostAndPort] : []),
      ].join(","),
      ...(options.slack && { INTRAY_SLACK_URL: options.slack.url }),
      LOG_LEVEL: "info",
    };
    addNode("web", "web", "scripts/web.ts", {
      ...common,
      AUTH_SECRET: authSecret,
      INTRAY_RATE_LIMIT: "1000000",
      APP_DATABASE_URL: database.appDatabaseUrl,
    });
    for (let at = 0; at < options.engines; at++)
      addNode("engine", `engine-${at + 1}`, "lib/engine/main.ts", {
        ...common,
        ENGINE_DATABASE_URL: database.engineDatabaseUrl,
      });
    const clientFiles = { work: join(folder, "clients.json"), notes: join(logs, "clients.notes") };
    addNode("client", "client", "test/chaos/agents/client-process.ts", {}, [
      clientFiles.work,
      clientFiles.notes,
    ]);
    const nodes = [...parts.sample, ...parts.web, ...parts.engine];
    await Promise.all(nodes.map((part) => part.start()));
    const healthy = [`${url}/readyz`, ...samples.map(({ baseUrl }) => `${baseUrl}/healthz`)];
    await Promise.all(healthy.map((address) => ready(address, options.signal)));
    const { openOrganization } = database;
    const keys = await openOrganization("chaos");
    return { folder, url, keys, openOrganization, samples, parts, clientFiles, ownEnds, end };
  } catch (error) {
    await end({ keepLogs: true });
    throw new Error(`the stage could not be set (logs in ${logs})`, { cause: error });
  }
}

/** Migrates the database, and makes its logins. */
async function prepareDatabase(superuserUrl: string, authSecret: string) {
  const [role, name] = ["intray_owner", "intray"];
  await createOwner(superuserUrl, { role, password: PASSWORD, database: name, may: "createrole createdb" });
  const ownerUrl = databaseUrl(superuserUrl, role, name);
  await migrate(ownerUrl, () => {});
  const logins = await allowLogins(ownerUrl, { appPassword: PASSWORD, enginePassword: PASSWORD });
  return {
    ...logins,
    openOrganization: (slug: string) => openOrganization(slug, ownerUrl, logins.appDatabaseUrl, authSecret),
  };
}

async function openOrganization(
  slug: string,
  ownerUrl: string,
  appDatabaseUrl: string,
  authSecret: string,
): Promise<Keys> {
  const db = createDatabase(ownerUrl, { connections: 1 });
  try {
    const organizationId = uuidv7();
    const { userIds, ...keys } = await db.withOrganization(organizationId, async (tx) => {
      await createOrganization(tx, { slug, name: slug });
      // One key starts everything, all at once.
      const many = 1_000_000;
      await setQuota(tx, {
        startsAMinute: many,
        startsAMinuteEach: many,
        openTasksEach: many,
      });
      const key = async (name: string, role: Role) =>
        (
          await createMakerlessKey(tx, COMMAND_LINE, {
            name,
            role,
            permissions: permissionsOf(role),
          })
        ).secret;
      const person = async (name: string) => {
        const email = `${name.toLowerCase()}@${slug}.example`;
        return (await addMember(tx, COMMAND_LINE, { email, name, role: "approver" })).userId;
      };
      const rival = async (name: string): Promise<Rival> => ({ name, key: await key(name, "operator") });
      return {
        admin: await key("Admin", "admin"),
        operator: await key("Operator", "operator"),
        approvers: [await key("Ben", "approver"), await key("Cleo", "approver")] satisfies Keys["approvers"],
        rivals: [await rival("Pipeline"), await rival("Robot")] satisfies Keys["rivals"],
        userIds: [await person("Dana"), await person("Emil")] as const,
      };
    });
    return { ...keys, people: await signIn(appDatabaseUrl, userIds, authSecret) };
  } finally {
    await db.close();
  }
}

/** Opens a session of each person, as a sign-in does. Returns the cookies. */
async function signIn(
  appDatabaseUrl: string,
  userIds: readonly [string, string],
  authSecret: string,
): Promise<Keys["people"]> {
  const db = createDatabase(appDatabaseUrl, { connections: 1 });
  const cookieOf = async (userId: string) => {
    const secret = randomSecret();
    await db.gate(Prisma.sql`SELECT gate.open_session(${hashSecret(secret)}, ${userId}::uuid,
      ${SESSION_MS}::bigint, 'password', NULL, NULL, NULL, NULL, NULL::integer, NULL::jsonb) AS id`);
    const value = await encode({ token: { sub: userId, sid: secret }, secret: authSecret });
    return `next-auth.session-token=${value}`;
  };
  try {
    return [await cookieOf(userIds[0]), await cookieOf(userIds[1])];
  } finally {
    await db.close();
  }
}

function databaseUrl(superuserUrl: string, role: string, database: string): string {
  const url = new URL(withLogin(superuserUrl, role, PASSWORD));
  url.pathname = `/${database}`;
  return url.href;
}

/** Waits until an address answers 2xx. */
export async function ready(address: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const response = await fetch(address, { signal: AbortSignal.timeout(5_000) }).catch(() => null); // not up yet
    await response?.body?.cancel();
    if (response?.ok) return;
    await sleep(200);
  }
  throw new Error(`${address} does not answer`);
}
