/** Intray's own processes on a Postgres with the settings of `npm start`, for the parts of the bench. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "next-auth/jwt";
import type { Role } from "../lib/access/roles.ts";
import { createDatabase, type Database, Prisma } from "../lib/base/db/db.ts";
import { hashSecret, randomSecret, uuidv7 } from "../lib/base/ids.ts";
import { createMakerlessKey } from "../lib/people/api-keys/api-key-writes.ts";
import { addMember } from "../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../lib/people/organizations/organization-writes.ts";
import { build } from "../scripts/build/build.ts";
import { readRecord } from "../scripts/database/cluster.ts";
import { startEmbedded } from "../scripts/database/embedded.ts";
import { freePort } from "../scripts/ports.ts";
import { type EngineProcess, startEngineProcess } from "../test/engine-process.ts";
import { createTestDatabase, prepareTemplate, type TestDatabase } from "../test/setup/postgres.ts";

export interface Installation {
  database: TestDatabase;
  /** Postgres's log. */
  logFile: string;
  /** The environment of web and engine. */
  environment: Record<string, string>;
  organization(slug: string): Promise<string>;
  member(organizationId: string, name: string, role: Role): Promise<{ userId: string; cookie: string }>;
  key(organizationId: string, role: Role): Promise<string>;
  /** Starts the built web app in its own process; builds it first if necessary. */
  startWeb(settings?: Record<string, string>): Promise<{ url: string; pid: number }>;
  startEngine(settings?: Record<string, string>): Promise<EngineProcess>;
  /** All that Postgres has logged. */
  postgresLog(): string;
  /** Ends all processes and removes the data. */
  end(): Promise<void>;
}

const READY = /Listening on/;

/** `settings`: further settings of Postgres. */
export async function startInstallation(settings: string[] = []): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "intray-bench-"));
  const { server, superuserUrl } = await startEmbedded(folder, { settings });
  process.env.TEST_DATABASE_ADMIN_URL = superuserUrl;
  await prepareTemplate(superuserUrl);
  const database = await createTestDatabase();
  const owner = createDatabase(database.ownerUrl, { connections: 2 });
  const app = createDatabase(database.appUrl, { connections: 2 });
  const authSecret = randomBytes(32).toString("base64");
  const environment = {
    APP_DATABASE_URL: database.appUrl,
    ENGINE_DATABASE_URL: database.engineUrl,
    INTRAY_KEYS: `bench:${randomBytes(32).toString("base64")}`,
    AUTH_SECRET: authSecret,
    // The rate limit must not affect the figures.
    INTRAY_RATE_LIMIT: "1000000",
    LOG_LEVEL: "info",
  };
  const engines: EngineProcess[] = [];
  const webs: ChildProcess[] = [];

  return {
    database,
    logFile: join(folder, "postgres.log"),
    environment,
    async organization(slug) {
      const id = uuidv7();
      await owner.withOrganization(id, (tx) => createOrganization(tx, { slug, name: slug }));
      return id;
    },
    async member(organizationId, name, role) {
      const person = { email: `${name.toLowerCase()}-${organizationId}@bench.example`, name, role };
      const { userId } = await owner.withOrganization(organizationId, (tx) =>
        addMember(tx, COMMAND_LINE, person),
      );
      const sid = await openSession(app, userId);
      const token = await encode({ token: { sub: userId, sid }, secret: authSecret });
      return { userId, cookie: `next-auth.session-token=${token}` };
    },
    async key(organizationId, role) {
      const made = await owner.withOrganization(organizationId, (tx) =>
        createMakerlessKey(tx, COMMAND_LINE, { name: role, role }),
      );
      return made.secret;
    },
    async startWeb(settings = {}) {
      await build((line) => console.log(line));
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const { PATH, HOME } = process.env;
      const child = spawn(process.execPath, ["scripts/web.ts"], {
        stdio: ["ignore", "pipe", "inherit"],
        env: {
          ...({ PATH, HOME } as Record<string, string>),
          NODE_ENV: "production",
          ...environment,
          LOG_LEVEL: "warn",
          ...settings,
          PORT: String(port),
          INTRAY_URL: url,
        },
      });
      webs.push(child);
      await untilSaid(child, READY);
      return { url, pid: child.pid! };
    },
    async startEngine(settings = {}) {
      const engine = await startEngineProcess({ ...environment, ...settings });
      engines.push(engine);
      return engine;
    },
    postgresLog: () => readFileSync(join(folder, "postgres.log"), "utf8"),
    async end() {
      await Promise.all(engines.map((engine) => engine.kill()));
      await Promise.all(webs.map(kill));
      await Promise.all([owner.close(), app.close()]);
      await server.stop("immediate");
      const elsewhere = readRecord(folder).home;
      for (const path of [folder, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
    },
  };
}

async function openSession(app: Database, userId: string): Promise<string> {
  const secret = randomSecret();
  await app.gate(Prisma.sql`SELECT gate.create_session(${hashSecret(secret)}, ${userId}::uuid, 3600000::bigint,
    'password', NULL, NULL)::text AS id`);
  return secret;
}

async function untilSaid(child: ChildProcess, words: RegExp): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      if (/"level":(50|60|"error"|"fatal")/.test(String(chunk))) process.stderr.write(chunk);
      said = `${said}${chunk}`.slice(-2_000);
      if (words.test(said)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the web ended (${code}): ${said}`)));
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
