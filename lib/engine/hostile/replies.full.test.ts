/**
 * Servers that answer polls with unreadable replies. The task neither ends nor changes, the server is shown as failing in
 * our own words, other tenants are not affected, and the task continues once the server answers correctly.
 */
import { afterAll, beforeAll, describe, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { createSecondTenant, type SecondTenant } from "../../../test/fixtures/second-tenant.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { manyAtOnce } from "../../../test/for-file.ts";
import { slow, unreadable } from "../../../test/servers/hostile-acts.ts";
import { startHostileServer } from "../../../test/servers/hostile-server.ts";

const PATIENCE_MS = 180_000;
const WORK = tool("work", { taskSupport: "required" });
const ERAS = ["2025-11-25", "2026-07-28"] as const;
/** The messages that people may see about these replies. */
const WORDS = [
  "The server’s replies make no sense.",
  "The server’s replies are larger than Intray takes.",
  "The server could not be reached, or is not allowed here.",
  "The server does not answer in time.",
];

const fixture = organizationForFile(["127.0.0.1"]);
let secondTenant: SecondTenant;
const queries = createQueries(() => fixture, PATIENCE_MS);
const log: { msg: string; taskId?: string; level: number }[] = [];

beforeAll(async () => {
  secondTenant = await createSecondTenant(fixture, PATIENCE_MS);
  await fixture.startEngine((line) => log.push(JSON.parse(line)));
});
afterAll(async () => {
  await secondTenant.close();
});

const cases = Object.entries({ ...unreadable("tasks/get"), ...slow("tasks/get") }).flatMap(([name, act]) =>
  ERAS.map((era) => ({ name, era, act })),
);

manyAtOnce();
describe.concurrent("a poll is answered with", { timeout: 300_000 }, () => {
  test.for(cases)("$name ($era)", async ({ era, act }, { expect, onTestFinished }) => {
    const server = await startHostileServer();
    onTestFinished(() => server.close());
    const added = await fixture.addServer(server.url, era);
    const id = await fixture.startTask(added, {}, WORK);
    await queries.inState(id, "working");
    server.act = act;
    const health = await until(
      "the server is at fault",
      async () => {
        const row = await fixture.within((tx) =>
          tx.server.findFirstOrThrow({
            where: { organizationId: fixture.organizationId, id: added.serverId },
          }),
        );
        return row.healthState !== "ok" && row;
      },
      PATIENCE_MS,
    );
    expect(WORDS).toContain(health.healthMessage);
    await secondTenant.completesTask();
    expect((await queries.task(id)).state).toBe("working");

    server.act = null;
    server.finish();
    const ended = await queries.inState(id, "completed");
    expect(ended.error).toBeNull();
    expect(server.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    await until(
      "the server is well again",
      async () => (await queries.health(added.serverId)) === "ok",
      PATIENCE_MS,
    );
    // Logged once per failed poll, ever more rarely, and never as an error of Intray.
    const lines = log.filter(({ taskId }) => taskId === id);
    expect(lines.length).toBeLessThan(30);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});
