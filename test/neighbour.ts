/** Another organization on the same database and engine, whose server is honest: what befalls others is not its concern. */

import type { Principal } from "../lib/access/principal.ts";
import { createDatabase } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { createTask } from "../lib/task-lifecycle/transitions.ts";
import { startHostileServer } from "./hostile-server.ts";
import { insertServer } from "./rows.ts";
import { PROCESS_INVOICE, until, type World } from "./world.ts";

export interface Neighbour {
  /** Starts a task and waits until it has ended well. */
  works(): Promise<void>;
  leave(): Promise<void>;
}

/** `address`: of its server, which the world's hosts must allow. */
export async function moveIn(world: World, patienceMs: number): Promise<Neighbour> {
  const db = createDatabase(world.adminUrl, { connections: 6 });
  const honest = await startHostileServer();
  honest.finish();
  const organizationId = uuidv7();
  const userId = uuidv7();
  await db.withOrganization(organizationId, async (tx) => {
    await tx.$executeRaw`INSERT INTO organization (id, slug, name) VALUES (${organizationId}::uuid, 'next', 'Next')`;
    await tx.$executeRaw`INSERT INTO "user" (id, email, name) VALUES (${userId}::uuid, 'gus@test.example', 'Gus')`;
    await tx.$executeRaw`INSERT INTO membership (organization_id, id, user_id, role)
      VALUES (${organizationId}::uuid, ${uuidv7()}::uuid, ${userId}::uuid, 'operator')`;
  });
  const server = await insertServer(db, organizationId, { url: honest.url });
  const principal: Principal = {
    organizationId,
    userId,
    role: "operator",
    actor: { kind: "member", id: userId, name: "Gus" },
  };
  return {
    async works() {
      const { id } = await db.withOrganization(organizationId, (tx) =>
        createTask(organizationId, tx, {
          principal,
          server: { id: server.id },
          connectionId: server.connectionId,
          tool: { ...PROCESS_INVOICE, name: "work" },
          arguments: {},
          ttlMs: null,
          idempotencyKey: null,
          restartOf: null,
        }),
      );
      const read = () =>
        db.withOrganization(organizationId, (tx) =>
          tx.task.findFirstOrThrow({ where: { organizationId, id } }),
        );
      await until(
        "the neighbour's task is done",
        async () => (await read()).state === "completed",
        patienceMs,
      );
    },
    async leave() {
      await honest.close();
      await db.close();
    },
  };
}
