/** Resealing while engines use the sealed values. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient, withLogin } from "../../../scripts/database/roles.ts";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { createDatabase, type Database } from "../db/db.ts";
import { createSeal, type SealingKey } from "../seal.ts";
import { countByKey, reseal } from "./reseal.ts";

const TASKS = 12;
const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let owner: Database;
let engine: EngineProcess | undefined;

beforeAll(async () => {
  owner = createDatabase(withLogin(fixture.adminUrl, "intray_owner", "intray-test"), { connections: 2 });
});
afterAll(async () => {
  await engine?.kill();
  await owner?.close();
});

const { openRequest, inState, task } = createQueries(() => fixture);

test("a key is changed under a running engine, and taken away: every task goes on to its end", async () => {
  const fresh = { kid: "fresh", key: randomBytes(32) };
  const [, first] = (fixture.engineEnvironment.INTRAY_KEYS ?? "").split(":");
  const old = { kid: "test", key: Buffer.from(first ?? "", "base64") };
  const spelled = `fresh:${fresh.key.toString("base64")}`;
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const startAll = () =>
    Promise.all(
      Array.from({ length: TASKS }, (_, n) => fixture.startTask(server, { note: `${n}` }, tool("approve"))),
    );
  const approve = async (id: string) =>
    fixture.answer((await openRequest(id)).id, { action: "accept", content: { approve: true } });

  // The old key seals; half of the tasks wait when the new one comes.
  engine = await startEngineProcess(fixture.engineEnvironment);
  const waiting = await startAll();
  await Promise.all(waiting.map((id) => openRequest(id)));
  await engine.kill();
  expect([...(await countByKey(owner)).keys()]).toEqual(["test"]);

  engine = await startEngineProcess({
    ...fixture.engineEnvironment,
    INTRAY_KEYS: `${spelled},${fixture.engineEnvironment.INTRAY_KEYS}`,
  });
  const seal = createSeal([fresh, old]);
  const started = startAll();
  const [done] = await Promise.all([reseal(owner, seal), ...waiting.slice(0, TASKS / 2).map(approve)]);
  const later = await started;
  await Promise.all(later.map((id) => openRequest(id)));
  expect(done.filter(({ unopened }) => unopened > 0)).toEqual([]);
  await until("nothing is sealed under the old key", async () => {
    await reseal(owner, seal);
    return !(await countByKey(owner)).has("test");
  });
  await engine.kill();

  engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_KEYS: spelled });
  await Promise.all([...waiting.slice(TASKS / 2), ...later].map(approve));
  for (const id of [...waiting, ...later]) await inState(id, "completed");
  await engine.kill();
  expect(remote.answers).toHaveLength(2 * TASKS);
});

test("a key is changed in its file, and the engine that runs takes it over without a restart", async () => {
  const [, first] = (fixture.engineEnvironment.INTRAY_KEYS ?? "").split(":");
  const old = { kid: "test", key: Buffer.from(first ?? "", "base64") };
  const filed = { kid: "filed", key: randomBytes(32) };
  const folder = mkdtempSync(join(tmpdir(), "intray-keys-"));
  const path = join(folder, "keys");
  const write = (...keys: SealingKey[]) =>
    writeFileSync(path, `${keys.map(({ kid, key }) => `${kid}:${key.toString("base64")}`).join(",")}\n`);
  write(old);
  const { INTRAY_KEYS: _, ...environment } = fixture.engineEnvironment;
  engine = await startEngineProcess({ ...environment, INTRAY_KEYS_FILE: path });
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const waiting = await Promise.all(
    Array.from({ length: 3 }, () => fixture.startTask(server, {}, tool("approve"))),
  );
  await Promise.all(waiting.map((id) => openRequest(id)));

  write(filed, old);
  await until("the new key seals", async () => {
    const later = await fixture.startTask(server, {}, tool("approve"));
    waiting.push(later);
    await openRequest(later);
    return (await countByKey(owner)).has("filed");
  });
  await until("nothing is sealed under the old key", async () => {
    await reseal(owner, createSeal([filed, old]));
    return !(await countByKey(owner)).has("test");
  });
  write(filed);
  for (const id of waiting) {
    await fixture.answer((await openRequest(id)).id, { action: "accept", content: { approve: true } });
    await inState(id, "completed");
  }
  rmSync(folder, { recursive: true });
});

test("a value that another writes at the same moment stays as the other wrote it", async () => {
  await engine?.kill();
  const server = await fixture.addServer("http://127.0.0.1:9/mcp", "2026-07-28");
  const id = await fixture.startTask(server, {}, tool("approve"));
  const place = { organizationId: fixture.organizationId, table: "task", row: id, column: "sealed_session" };
  const one = { kid: "one", key: randomBytes(32) };
  const two = { kid: "two", key: randomBytes(32) };
  await withClient(fixture.adminUrl, async (client) => {
    const put = (value: string) =>
      client.query("UPDATE task SET sealed_session = $1 WHERE id = $2", [value, id]);
    await put(createSeal([one]).seal(place, "before"));
    await client.query("BEGIN");
    const written = createSeal([one]).seal(place, "after");
    await put(written);
    const resealing = reseal(owner, createSeal([two, one]));
    // Asked outside the transaction, which would go on seeing what it saw first.
    await until("it waits for the row", () =>
      withClient(fixture.adminUrl, async (other) => {
        const { rowCount } = await other.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%unnest%'",
        );
        return rowCount === 1;
      }),
    );
    await client.query("COMMIT");
    const sessions = (await resealing).find(
      ({ column, table }) => `${table}.${column}` === "task.sealed_session",
    );
    expect(sessions).toMatchObject({ changed: 1, resealed: 0 });
    expect((await task(id)).sealedSession).toBe(written);
  });
  await reseal(owner, createSeal([two, one]));
  expect(createSeal([two]).open(place, (await task(id)).sealedSession ?? "")).toBe("after");
});
