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
    /** Waits for a server that is not `before`, which may not have come far yet. */
    async next(before: number): Promise<number> {
      await expect.poll(() => pidIn(lockFile), { interval: 5 }).not.toBeOneOf([null, before]);
      return pidIn(lockFile) ?? 0;
    },
  };
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

test("killed again and again while it starts, it comes back", async (context) => {
  const postgres = await kept(context);
  let { pid } = postgres.server;
  for (let kills = 0; kills < 4; kills++) {
    process.kill(pid, "SIGKILL");
    pid = await postgres.next(pid);
  }
  await answer(postgres.ownerUrl);
  expect(postgres.givenUp).toEqual([]);
});

test("where another program has its port for a moment, it comes back to that port", async (context) => {
  const postgres = await kept(context);
  const { pid, port } = postgres.server;
  process.kill(pid, "SIGKILL");
  const thief = await listenAt(port);
  const before = await postgres.next(pid);
  await postgres.next(before);
  await new Promise((resolve) => thief.close(resolve));
  await answer(postgres.ownerUrl);
  expect(postgres.givenUp).toEqual([]);
});

/** Its listener, once the port is let go. Whoever connects is cut off. */
async function listenAt(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await expect
    .poll(
      () =>
        new Promise((resolve) =>
          server.once("error", resolve).listen(port, "127.0.0.1", () => resolve("it listens")),
        ),
    )
    .toBe("it listens");
  return server;
}
