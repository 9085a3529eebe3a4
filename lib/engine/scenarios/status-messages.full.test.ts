/** A counter in a status message: written now and then, and its last word always. */
import { beforeAll, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeAll(async () => {
  server = await fixture.addServer(remote.url, "2026-07-28");
  await fixture.startEngine();
});

/** Starts a task whose status message counted to three, each count seen by a poll. */
async function counted() {
  remote.tasks.clear();
  const id = await fixture.startTask(server, {}, tool("wait"));
  await queries.inState(id, "working");
  const theirs = [...remote.tasks.values()].at(-1)!;
  for (const message of ["1/10", "2/10", "3/10"]) {
    let polls = 0;
    theirs.statusMessage = message;
    remote.behave.onGet = (shown) => {
      if (shown === theirs) polls++;
    };
    // The second poll began after the first one was read.
    await until(`"${message}" was polled`, async () => polls >= 2);
  }
  return { id, theirs };
}

const says = (id: string, message: string) =>
  until(`the card says ${message}`, async () => (await queries.task(id)).statusMessage === message);

test("a counter that stops seconds after it was written: its last word is shown", async () => {
  const { id } = await counted();
  await says(id, "3/10");
});

test("a counter whose server goes away seconds after it was written: its last word is shown", async () => {
  const { id } = await counted();
  await remote.goDown();
  await says(id, "3/10");
  await remote.comeBack();
  expect((await queries.task(id)).state).toBe("working");
});

test("a counter that goes on is not written at every poll", async () => {
  const { id, theirs } = await counted();
  await says(id, "3/10");
  const history = () =>
    fixture.within((tx) => tx.event.count({ where: { organizationId: fixture.organizationId, taskId: id } }));
  const before = await history();
  const began = performance.now();
  let count = 3;
  remote.behave.onGet = (shown) => {
    if (shown === theirs) theirs.statusMessage = `${++count}/100`;
  };
  await until("it counted on", async () => count >= 20);
  expect((await history()) - before).toBeLessThanOrEqual(2 + (performance.now() - began) / 5_000);
});
