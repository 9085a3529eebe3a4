/**
 * The same life by others, in a process of its own: `dbos`: a workflow of two steps, whose question is an event and
 * whose answer is received. `pg-boss`: a job sent and done, which is the floor of anything durable. Runs for the given
 * time and reports the lives and this process's CPU.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { PgBoss } from "pg-boss";

export interface RivalOrder {
  rival: "dbos" | "pg-boss";
  databaseUrl: string;
  atOnce: number;
}
export interface RivalCount {
  lives: number;
  cpuMs: number;
}

let lives = 0;
const stopped = false;

async function repeat(atOnce: number, live: () => Promise<unknown>): Promise<void> {
  const one = async () => {
    while (!stopped) {
      await live();
      lives++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

async function dbos({ databaseUrl, atOnce }: RivalOrder): Promise<void> {
  const workflow = DBOS.registerWorkflow(
    async (note: string) => {
      await DBOS.runStep(async () => note, { name: "begin" });
      await DBOS.setEvent("question", { message: "Approve the invoice?" });
      const answer = await DBOS.recv<{ approve: boolean }>("answer", 600);
      return DBOS.runStep(async () => answer, { name: "end" });
    },
    { name: "life" },
  );
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: 10,
    runAdminServer: false,
    logLevel: "error",
  });
  await DBOS.launch();
  await repeat(atOnce, async () => {
    const handle = await DBOS.startWorkflow(workflow)("note");
    await DBOS.getEvent(handle.workflowID, "question");
    await DBOS.send(handle.workflowID, { approve: true }, "answer");
    await handle.getResult();
  });
}

async function pgBoss({ databaseUrl, atOnce }: RivalOrder): Promise<void> {
  const boss = new PgBoss(databaseUrl);
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("life");
  const done = new Map<string, () => void>();
  // The next fetch waits for this long: half a second is the least that pg-boss allows.
  await boss.work("life", { pollingIntervalSeconds: 0.5, batchSize: atOnce }, async (jobs) => {
    const resolvers = jobs.map(({ id }) => done.get(id));
    setImmediate(() => {
      for (const resolve of resolvers) resolve?.();
    });
  });
  await repeat(atOnce, async () => {
    const id = crypto.randomUUID();
    await new Promise<void>((resolve, reject) => {
      done.set(id, resolve);
      boss.send("life", { note: "note" }, { id }).catch(reject);
    });
    done.delete(id);
  });
}

process.on("disconnect", () => process.exit());
process.on("message", async (message: RivalOrder | "count") => {
  if (message === "count") {
    const { user, system } = process.cpuUsage();
    process.send?.({ lives, cpuMs: (user + system) / 1_000 } satisfies RivalCount);
    return;
  }
  void (message.rival === "dbos" ? dbos(message) : pgBoss(message)).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
  while (lives === 0) await sleep(20);
  process.send?.("lives");
});
