import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { readRecord } from "../database/cluster.ts";
import { withClient } from "../database/roles.ts";
import { keepPostgres } from "./database.ts";

async function kept({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const dataDir = mkdtempSync(join(tmpdir(), "intray-kept-"));
  const givenUp: string[] = [];
  const postgres = await keepPostgres(dataDir, (why) => givenUp.push(why));
  onTestFinished(async () => {
    await postgres.stop("fast");
    for (const path of [dataDir, readRecord(dataDir).home])
      if (path) rmSync(path, { recursive: true, force: true });
  });
  const lockFile = join(readRecord(dataDir).home ?? dataDir, "postgres", "postmaster.pid");
  return {
    ...postgres,
    givenUp,
    pid: () => pidIn(lockFile),
    /** Waits for a server that is not `before`, which may not have come far yet. */
    async next(before: number): Promise<number> {
      await expect.poll(() => pidIn(lockFile), { interval: 5 }).not.toBeOneOf([null, before]);
      return pidIn(lockFile) ?? 0;
    },
  };
}

/** -9. It may have ended by itself meanwhile. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function pidIn(lockFile: string): number | null {
  try {
    return Number(readFileSync(lockFile, "utf8").split("\n")[0]) || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

const answer = (url: string) =>
  expect
    .poll(() => withClient(url, async (client) => (await client.query("select 7 as it")).rows).catch(String))
    .toEqual([{ it: 7 }]);

test("killed again and again while it starts, it comes back", { tags: ["full"] }, async (context) => {
  const postgres = await kept(context);
  let { pid } = postgres.server;
  for (let kills = 0; kills < 4; kills++) {
    kill(pid);
    pid = await postgres.next(pid);
  }
  await answer(postgres.ownerUrl);
  expect(postgres.givenUp).toEqual([]);
});

test("where another program has its port for a moment, it comes back to that port", async (context) => {
  const postgres = await kept(context);
  const thief = createServer((socket) => socket.destroy());
  // Whoever is first has it: as long as that is Postgres, it is killed.
  await expect
    .poll(() => {
      const pid = postgres.pid();
      if (pid !== null) kill(pid);
      return listens(thief, postgres.server.port);
    })
    .toBe(true);
  // Of the one that was killed, of the first to find the port taken, of another one after it.
  let pid = 0;
  for (let lives = 0; lives < 3; lives++) pid = await postgres.next(pid);
  await new Promise((resolve) => thief.close(resolve));
  await answer(postgres.ownerUrl);
  expect(postgres.givenUp).toEqual([]);
});

async function listens(server: Server, port: number): Promise<boolean> {
  server.listen(port, "127.0.0.1");
  return once(server, "listening").then(
    () => true,
    () => false, // the port is taken yet
  );
}
