/** An engine is started while its database is away, as after a power cut: it waits. What waiting would not mend ends it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type KillablePostgres, startKillablePostgres } from "../../../test/setup/killable-postgres.ts";

let postgres: KillablePostgres;
let fixture: OrganizationFixture;
let remote: TestServer;
const queries = createQueries(() => fixture);

beforeAll(async () => {
  postgres = await startKillablePostgres();
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  remote = await startTestServer();
});
afterAll(async () => {
  await remote?.close();
  await fixture?.close();
  await postgres?.remove();
});

test("an engine that starts before its database does waits for it, says so once, and works", async () => {
  const id = await fixture.startTask(await fixture.addServer(remote.url, "2026-07-28"), {}, tool("wait"));
  await postgres.kill();
  let output = "";
  const starting = startEngineProcess(fixture.engineEnvironment, (text) => {
    output += text;
  });
  const waits = until("it waits", async () => output.includes("the database is away"));
  await Promise.race([waits, starting]);
  await postgres.start();
  const engine = await starting;
  try {
    await until("the database answers", () => queries.task(id).catch(() => null));
    await queries.inState(id, "working");
    expect(output.match(/the database is away/g)).toHaveLength(1);
    expect(output.match(/the database is there/g)).toHaveLength(1);
  } finally {
    await engine.drain();
  }
});

test("an engine that waits for its database ends when it is told to", async () => {
  await postgres.kill();
  await expect(
    startEngineProcess(fixture.engineEnvironment, (text, pid) => {
      if (text.includes("the database is away")) process.kill(pid, "SIGTERM");
    }),
  ).rejects.toThrow("ended before it ran");
  await postgres.start();
});

test("an engine with a wrong password, or a role that row security does not hold, ends at once", async () => {
  await until("the database answers", () => queries.events().catch(() => null));
  const withUrl = (change: (url: URL) => void) => {
    const url = new URL(fixture.engineEnvironment.ENGINE_DATABASE_URL!);
    change(url);
    return startEngineProcess({ ...fixture.engineEnvironment, ENGINE_DATABASE_URL: url.href });
  };
  await expect(withUrl((url) => Object.assign(url, { password: "wrong" }))).rejects.toThrow(
    "password authentication failed",
  );
  const { username, password } = new URL(fixture.adminUrl);
  await expect(withUrl((url) => Object.assign(url, { username, password }))).rejects.toThrow(
    "names a superuser",
  );
});
