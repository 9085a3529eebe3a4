import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readRecord } from "./cluster.ts";
import { startEmbedded } from "./embedded.ts";
import { withClient } from "./roles.ts";

const dataDir = mkdtempSync(join(tmpdir(), "intray-embedded-"));
afterAll(() => {
  const elsewhere = readRecord(dataDir).home;
  for (const path of [dataDir, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
});

test("it starts in a closed folder, is adopted while it runs, and recovers when it was killed", async () => {
  const first = await startEmbedded(dataDir);
  expect(first.server.adopted).toBe(false);
  expect(statSync(join(dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
  await withClient(first.ownerUrl, (client) => client.query("create table kept as select 7 as value"));

  const again = await startEmbedded(dataDir);
  expect(again.server).toMatchObject({ adopted: true, pid: first.server.pid, port: first.server.port });

  process.kill(first.server.pid, "SIGKILL");
  await first.server.exited;
  const third = await startEmbedded(dataDir);
  expect(third.server).toMatchObject({ adopted: false, port: first.server.port });
  const { rows } = await withClient(third.ownerUrl, (client) => client.query("select value from kept"));
  expect(rows).toEqual([{ value: 7 }]);
  await third.server.stop("fast");
});

test("neither owner sees the other's database", async () => {
  const { ownerUrl, invoiceUrl, server } = await startEmbedded(dataDir);
  const trespass = new URL(invoiceUrl);
  trespass.pathname = new URL(ownerUrl).pathname;
  await expect(withClient(trespass.href, (client) => client.query("select 1"))).rejects.toThrow(
    "permission denied",
  );
  await server.stop("fast");
});
