/**
 * A database with organizations, servers and tasks, engines as processes of their own, and functions to act
 * on them.
 */
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Principal } from "../../lib/access/principal.ts";
import { createDatabase, type Database, type Prisma } from "../../lib/base/db/db.ts";
import { uuidv7 } from "../../lib/base/ids.ts";
import { createSeal } from "../../lib/base/seal.ts";
import { appendEvents } from "../../lib/history/events/event-writes.ts";
import { insertTask } from "../../lib/lifecycle/task-writes.ts";
import { setQuota } from "../../lib/people/organizations/quota.ts";
import { recordDecision } from "../../lib/requests/answers/answer-writes.ts";
import { type EngineProcess, startEngineProcess } from "../../test/engine-process.ts";
import { tool } from "../../test/fixtures/tool.ts";
import { createTestDatabase } from "../../test/setup/postgres.ts";
import { FIRST_WORD, SEEDED } from "./servers.ts";

export interface Place {
  organizationId: string;
  serverId: string;
  connectionId: string;
}

/** See server-process.ts. */
type ToolName = "ask" | "work" | "rest";

export interface Stage {
  /** With the role of the web. */
  database: Database;
  /** A superuser's pool, for figures. */
  admin: pg.Pool;
  organization(slug: string): Promise<Principal>;
  /** Creates a server with a connection at each URL. */
  places(owner: Principal, urls: string[]): Promise<Place[]>;
  /** Queues tasks in one transaction; returns their ids. */
  start(by: Principal, at: Place[], toolName: ToolName, pollIntervalMs: number): Promise<string[]>;
  /**
   * Writes tasks that already run at their servers, without a wake-up; call it before an engine starts.
   * Returns their ids.
   */
  seed(by: Principal, at: Place[], toolName: ToolName, pollIntervalMs: number): Promise<string[]>;
  /** Queues a burst of tasks in a few statements; the next scan finds them. */
  queue(by: Principal, at: Place[], toolName: ToolName, pollIntervalMs: number): Promise<void>;
  /** Accepts the open question of a task. Returns false if the task has none (yet). */
  answer(by: Principal, taskId: string): Promise<boolean>;
  /** Starts an engine. `settings`: further variables of its environment. */
  engine(settings?: Record<string, string>): Promise<EngineProcess>;
  close(): Promise<void>;
}

/** Uses the Postgres of TEST_DATABASE_ADMIN_URL. The caller closes the stage, which ends its engines. */
export async function setStage(): Promise<Stage> {
  const postgres = await createTestDatabase();
  const database = createDatabase(postgres.appUrl, { connections: 12 });
  const owner = createDatabase(postgres.ownerUrl, { connections: 1 });
  const admin = new pg.Pool({ connectionString: postgres.adminUrl, max: 2 });
  // Idle connections fail when a server is killed.
  admin.on("error", () => undefined);
  const engines: EngineProcess[] = [];
  const key = randomBytes(32);
  const seal = createSeal([{ kid: "bench", key }]);
  const environment = {
    ENGINE_DATABASE_URL: postgres.engineUrl,
    INTRAY_KEYS: `bench:${key.toString("base64")}`,
    INTRAY_ALLOW_HOSTS: "127.0.0.1",
  };
  const writeTasks = async (
    { organizationId, userId, actor }: Principal,
    places: Place[],
    more: (id: string) => Pick<Prisma.TaskCreateManyInput, "tool" | "arguments" | "state">,
  ): Promise<string[]> => {
    const tasks = places.map((place) => ({ ...place, id: uuidv7() }));
    await database.withOrganization(organizationId, async (tx) => {
      await tx.task.createMany({
        data: tasks.map(({ id, serverId, connectionId }) => ({
          ...{ organizationId, id, serverId, connectionId, watched: true },
          ...{ visibility: "organization", requestedBy: actor, requesterUserId: userId },
          ...more(id),
        })),
      });
      await tx.taskWatch.createMany({ data: tasks.map(({ id }) => ({ organizationId, taskId: id })) });
    });
    return tasks.map(({ id }) => id);
  };
  return {
    database,
    admin,
    async organization(slug) {
      const organizationId = uuidv7();
      const userId = uuidv7();
      await owner.withOrganization(organizationId, async (tx) => {
        await tx.$executeRaw`INSERT INTO organization (id, slug, name) VALUES (${organizationId}::uuid, ${slug}, ${slug})`;
        await tx.$executeRaw`INSERT INTO "user" (id, email, name) VALUES (${userId}::uuid, ${`${userId}@bench.example`}, 'Ola')`;
        await tx.$executeRaw`INSERT INTO membership (organization_id, id, user_id, role)
          VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, ${userId}::uuid, 'owner')`;
        const most = { openTasks: 1_000_000, startsAMinute: 1_000_000 };
        await setQuota(tx, {
          ...most,
          openTasksEach: 1_000_000,
          startsAMinuteEach: 1_000_000,
        });
      });
      return { organizationId, userId, role: "owner", actor: { kind: "member", id: userId, name: "Ola" } };
    },
    async places({ organizationId, userId }, urls) {
      const places = urls.map((url) => ({ url, serverId: uuidv7(), connectionId: uuidv7() }));
      await database.withOrganization(organizationId, async (tx) => {
        await tx.server.createMany({
          data: places.map(({ url, serverId }, at) => ({
            organizationId,
            id: serverId,
            name: `Server ${at} ${serverId.slice(-6)}`,
            url,
            eraSetting: "2026-07-28",
            era: "2026-07-28",
            authKind: "none",
          })),
        });
        await tx.connection.createMany({
          data: places.map(({ serverId, connectionId }) => ({
            organizationId,
            id: connectionId,
            serverId,
            authorizedBy: userId,
          })),
        });
      });
      return places.map(({ serverId, connectionId }) => ({ organizationId, serverId, connectionId }));
    },
    async start(principal, places, toolName, pollIntervalMs) {
      const { organizationId } = principal;
      return database.withOrganization(organizationId, async (tx) => {
        const made = [];
        for (const { serverId, connectionId } of places)
          made.push(
            await insertTask(tx, {
              principal,
              server: { id: serverId },
              connectionId,
              isPrivate: false,
              tool: tool(toolName),
              arguments: { pollIntervalMs },
              ttlMs: null,
              idempotencyKey: null,
              restartOf: null,
              gate: null,
            }),
          );
        await appendEvents(
          tx,
          made.flatMap(({ events }) => events),
        );
        return made.map(({ id }) => id);
      });
    },
    async queue(principal, places, toolName, pollIntervalMs) {
      await writeTasks(principal, places, () => ({
        tool: toolName,
        arguments: { pollIntervalMs },
        state: "queued",
        toolHints: { annotations: null, taskSupport: "optional", honoursIdempotencyKey: false },
      }));
    },
    async seed(principal, places, toolName, pollIntervalMs) {
      const { organizationId } = principal;
      return writeTasks(principal, places, (id) => ({
        tool: toolName,
        arguments: {},
        state: "working",
        era: "2026-07-28",
        sealedHandle: seal.seal(
          { organizationId, table: "task", row: id, column: "sealed_handle" },
          `${SEEDED} ${toolName} ${pollIntervalMs} ${id}`,
        ),
        statusMessage: FIRST_WORD,
        startedAt: new Date(),
        pollIntervalMs,
      }));
    },
    answer: (principal, taskId) =>
      database.withOrganization(principal.organizationId, async (tx) => {
        const { organizationId } = principal;
        const request = await tx.inputRequest.findFirst({ where: { organizationId, taskId, state: "open" } });
        if (!request) return false;
        const { id, questionHash } = request;
        const decision = { action: "accept" as const, content: { approve: true }, questionHash };
        await recordDecision(tx, principal, id, decision);
        return true;
      }),
    async engine(settings = {}) {
      const engine = await startEngineProcess({ ...environment, ...settings });
      engines.push(engine);
      return engine;
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.kill()));
      await owner.close();
      await database.close();
      await admin.end();
      await postgres.drop();
    },
  };
}
