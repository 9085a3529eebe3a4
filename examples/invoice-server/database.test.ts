import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./database.ts";

/** Takes any sign-in, and on SIGTERM says what a Postgres says whose postmaster was killed. */
const FAKE_POSTGRES = `
const sockets = [];
const fatal = Buffer.from("0000SFATAL\\0C57P01\\0Mterminating connection due to unexpected postmaster exit\\0\\0", "latin1");
fatal.writeInt32BE(fatal.length);
require("node:net")
  .createServer((socket) => {
    sockets.push(socket);
    socket.once("data", () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])));
  })
  .listen(process.argv[1], () => console.log("listening"));
process.on("SIGTERM", () => {
  for (const socket of sockets) socket.write(Buffer.concat([Buffer.from("E"), fatal]), () => process.exit());
});`;

test("a write to a Postgres that was just killed fails in a way that DBOS tries again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "intray-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = spawn(process.execPath, ["-e", FAKE_POSTGRES, join(folder, ".s.PGSQL.5432")]);
  onTestFinished(() => void postgres.kill("SIGKILL"));
  await once(postgres.stdout, "data");
  const db = await openDatabase(`postgres://x:x@${encodeURIComponent(folder)}:5432/x`);
  onTestFinished(() => db.close());
  (await db.workflowPool.connect()).release();

  // This process reads nothing meanwhile, so its next query is a write to a socket that is closed.
  execFileSync("sh", ["-c", `kill ${postgres.pid}; sleep 0.3`]);
  const failure = await db.workflowPool.query("select 1").catch((error) => error);
  // On a machine that is slower than that, Postgres's own word comes first.
  expect(["ECONNRESET", "57P01"]).toContain(failure.code);
});
