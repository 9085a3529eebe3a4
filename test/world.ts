/** An organization with a server and people, an engine that runs, and hands to act and look with. */
import { randomBytes } from "node:crypto";
import pino from "pino";
import type { Principal } from "../lib/access/principal.ts";
import { createDatabase, type Database, type Tx } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { createNetwork } from "../lib/base/network.ts";
import { createSeal, type Seal } from "../lib/base/seal.ts";
import { Engine } from "../lib/engine/engine.ts";
import type { AnswerInput } from "../lib/input-requests/schema.ts";
import { recordAnswer } from "../lib/input-requests/transitions.ts";
import type { Era, Tool } from "../lib/mcp/peer.ts";
import { createTask } from "../lib/task-lifecycle/transitions.ts";
import { createTestDatabase } from "./postgres.ts";

export const PROCESS_INVOICE: Tool = {
  name: "process_invoice",
  title: null,
  description: null,
  inputSchema: { type: "object" },
  taskSupport: "required",
  annotations: null,
  honoursIdempotencyKey: true,
};

export interface World {
  database: Database;
  adminUrl: string;
  seal: Seal;
  /** What an engine in a process of its own needs to work on this world. */
  engineEnvironment: Record<string, string>;
  organizationId: string;
  operator: Principal;
  approver: Principal;
  addServer(url: string, era: Era | "auto"): Promise<{ serverId: string; connectionId: string }>;
  /** Starts an engine in this process; ended by `close()` if it still runs. `onLog` gets its lines from `info` on. */
  startEngine(onLog?: (line: string) => void): Promise<Engine>;
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  startTask(
    server: { serverId: string; connectionId: string },
    args: Record<string, unknown>,
    tool?: Tool,
  ): Promise<string>;
  answer(requestId: string, input: Omit<AnswerInput, "questionHash">): Promise<void>;
  close(): Promise<void>;
}

export async function createWorld(allowHosts: string[]): Promise<World> {
  const postgres = await createTestDatabase();
  const owner = createDatabase(postgres.ownerUrl, { connections: 2 });
  const database = createDatabase(postgres.appUrl, { connections: 12 });
  const engineDatabase = createDatabase(postgres.engineUrl, { connections: 8 });
  const organizationId = uuidv7();
  const key = randomBytes(32);
  const seal = createSeal([{ kid: "test", key }]);
  const engines: Engine[] = [];
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.withOrganization(organizationId, work);

  const person = (role: Principal["role"], name: string): Principal & { userId: string } => {
    const userId = uuidv7();
    return { organizationId, userId, role, actor: { kind: "member", id: userId, name } };
  };
  const operator = person("operator", "Ola");
  const approver = person("approver", "Ben");
  await owner.withOrganization(organizationId, async (tx) => {
    await tx.$executeRaw`INSERT INTO organization (id, slug, name) VALUES (${organizationId}::uuid, 'test', 'Test')`;
    for (const { userId, role, actor } of [operator, approver]) {
      await tx.$executeRaw`INSERT INTO "user" (id, email, name) VALUES (${userId}::uuid, ${`${userId}@test.example`}, ${actor.name})`;
      await tx.$executeRaw`INSERT INTO membership (organization_id, id, user_id, role)
        VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, ${userId}::uuid, ${role})`;
    }
  });
  await owner.close();

  return {
    database,
    adminUrl: postgres.adminUrl,
    seal,
    engineEnvironment: {
      ENGINE_DATABASE_URL: postgres.engineUrl,
      INTRAY_KEYS: `test:${key.toString("base64")}`,
      INTRAY_ALLOW_HOSTS: allowHosts.join(","),
    },
    organizationId,
    operator,
    approver,
    within,
    async addServer(url, era) {
      const serverId = uuidv7();
      const connectionId = uuidv7();
      await within(async (tx) => {
        await tx.server.create({
          data: { organizationId, id: serverId, name: "ERP", url, eraSetting: era, authKind: "none" },
        });
        await tx.connection.create({
          data: { organizationId, id: connectionId, serverId, authorizedBy: operator.userId },
        });
      });
      return { serverId, connectionId };
    },
    async startEngine(onLog) {
      const engine = new Engine({
        database: engineDatabase,
        databaseUrl: postgres.engineUrl,
        network: createNetwork({ allowHosts, denyPorts: [] }),
        seal,
        log: onLog
          ? pino({ level: "info" }, { write: onLog })
          : pino({ level: process.env.TEST_LOG_LEVEL ?? "silent" }),
      });
      engines.push(engine);
      await engine.start();
      return engine;
    },
    async startTask(server, args, tool = PROCESS_INVOICE) {
      const { id } = await within((tx) =>
        createTask(organizationId, tx, {
          principal: operator,
          server: { id: server.serverId },
          connectionId: server.connectionId,
          tool,
          arguments: args,
          ttlMs: null,
          idempotencyKey: null,
          restartOf: null,
        }),
      );
      return id;
    },
    async answer(requestId, input) {
      await within(async (tx) => {
        const { questionHash } = await tx.inputRequest.findFirstOrThrow({
          where: { organizationId, id: requestId },
        });
        await recordAnswer(organizationId, tx, approver, requestId, { ...input, questionHash });
      });
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.stop()));
      await engineDatabase.close();
      await database.close();
      await postgres.drop();
    },
  };
}

/**
 * Looks until `look` finds something, at first often, then four times a second, for looks cost the time of what is
 * waited for; fails loudly when it never does.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  patienceMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.3, 250)) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
