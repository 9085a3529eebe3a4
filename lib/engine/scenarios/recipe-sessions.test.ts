/** 2025-11-25: the session in which an engine calls the tools of recipes. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { type SessionTools, startSessionTools } from "../../../test/servers/tools/session-tools.ts";
import { pauseServer } from "../../servers/pause.ts";
import { recipeSchema } from "../../servers/recipes/recipe-schema.ts";
import { saveRecipe } from "../../servers/recipes/recipe-writes.ts";
import type { Engine } from "../engine.ts";

const RECIPE = recipeSchema.parse({
  name: "do_job",
  start: { tool: "submit", arguments: {}, handle: "result.structuredContent.job" },
  status: {
    tool: "status",
    arguments: { job: "handle" },
    everyMs: 1_000,
    state: "result.structuredContent.state",
    working: ["WORKING"],
    completed: ["DONE"],
  },
});

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionTools;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const { inState } = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startSessionTools();
  server = await fixture.addServer(remote.url, "2025-11-25");
  const { operator } = fixture;
  await fixture.within((tx) => saveRecipe(tx, operator.actor, server.serverId, { recipe: RECIPE }));
  engine = await fixture.startEngine();
});
afterEach(async () => {
  await engine.stop();
  await remote.close();
});

const start = () =>
  fixture.startTask(
    server,
    {},
    { ...tool(RECIPE.name, { taskSupport: "required" }), recipe: { version: 1 } },
  );

test("is one for all of its tasks, and ends with the engine, whose successor opens another", async () => {
  const [id, other] = [await start(), await start()];
  for (const one of [id, other]) await inState(one, "working");
  const [first] = [...remote.sessions.keys()];
  expect(remote.sessions.size).toBe(1);
  await engine.stop();
  expect([...remote.sessions.keys()]).toEqual([]);

  engine = await fixture.startEngine();
  remote.state = "DONE";
  for (const one of [id, other]) await inState(one, "completed");
  const [second] = [...remote.sessions.keys()];
  expect(remote.sessions.size).toBe(1);
  expect(second).not.toBe(first);
});

test("of a paused server is left to it: nothing is sent there", async () => {
  const id = await start();
  await inState(id, "working");
  const { operator } = fixture;
  await fixture.within((tx) => pauseServer(tx, operator, server.serverId, "to be seen to"));
  await until("the engine asks no more", async () => {
    const { asked } = remote;
    await sleep(4_000);
    return remote.asked === asked;
  });
  await engine.stop();
  expect(remote.sessions.size).toBe(1);
});

test("of a server that is gone holds up no engine", async () => {
  const id = await start();
  await inState(id, "working");
  await remote.close();
  const began = performance.now();
  await engine.stop();
  expect(performance.now() - began).toBeLessThan(10_000);
  remote = await startSessionTools();
});
