/** A world whose chores of telling are run by hand: what happens is told when a test says so. */
import pg from "pg";
import pino from "pino";
import type { Principal } from "../lib/access/principal.ts";
import type { Role } from "../lib/access/roles.ts";
import { createDatabase, type Database } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { createNetwork } from "../lib/base/network.ts";
import type { Job, JobContext } from "../lib/engine/jobs/jobs.ts";
import { NOTICES, WEBHOOK_OUTBOX } from "../lib/engine/jobs/notifications.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../lib/events/transitions.ts";
import { createWorld, type World } from "./world.ts";

export interface TellingWorld extends World {
  /** As the engine's role. */
  engine: Database;
  context: JobContext;
  /** Runs a chore until it has nothing more to do. */
  run(chore: Job): Promise<void>;
  happened(...events: Omit<NewEvent, "actor">[]): Promise<void>;
  member(role: Role, name: string): Promise<Principal & { userId: string }>;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function createTellingWorld(allowHosts: string[] = []): Promise<TellingWorld> {
  const world = await createWorld(allowHosts);
  const { organizationId, adminUrl } = world;
  const engine = createDatabase(world.engineEnvironment.ENGINE_DATABASE_URL ?? "", { connections: 6 });
  const network = createNetwork({ allowHosts, denyPorts: [] });
  const context = { database: engine, network, seal: world.seal, log: pino({ level: "silent" }) };
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const telling: TellingWorld = {
    ...world,
    engine,
    context,
    async run(chore) {
      while (await chore.run(context, organizationId));
    },
    happened: (...events) =>
      world.within((tx) =>
        appendEvents(
          organizationId,
          tx,
          events.map((event) => ({ ...event, actor: ENGINE_ACTOR })),
        ),
      ),
    async member(role, name) {
      const userId = uuidv7();
      await telling.sql(`INSERT INTO "user" (id, email, name) VALUES ($1, $2, $3)`, [
        userId,
        `${name.toLowerCase()}@test.example`,
        name,
      ]);
      await telling.sql(
        "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, $4)",
        [organizationId, uuidv7(), userId, role],
      );
      return { organizationId, userId, role, actor: { kind: "member", id: userId, name } };
    },
    sql: async (text, values = []) => (await admin.query(text, values)).rows,
    async close() {
      await admin.end();
      await network.close();
      await engine.close();
      await world.close();
    },
  };
  // Followers that begin now are told of what comes after their first look.
  await telling.happened({ type: "server.created" });
  for (const chore of [NOTICES, WEBHOOK_OUTBOX]) await telling.run(chore);
  return telling;
}
