/** 2025-11-25, several tasks on one pipe: a question that names none is of the task that asked, whatever request is open. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEngineProcess } from "../../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { judged } from "../../../../test/setup/windows.ts";
import { requestCancel } from "../../../lifecycle/task-writes.ts";
import { parseServersFile } from "../../../servers/operator-file.ts";
import { giveOperatorServers } from "../../../servers/operator-sync.ts";

const PIPE = fileURLToPath(new URL("../../../../test/servers/pipes/timed-pipe-server.ts", import.meta.url));
const WORK = tool("work", { taskSupport: "required" });
const PLAIN = tool("slow", { taskSupport: "forbidden" });

let fixture: OrganizationFixture;
let folder: string;
const ends: (() => Promise<unknown>)[] = [];
const queries = createQueries(() => fixture, 60_000);

/** One server, and so one pipe, a test. */
const ENTRIES = ["beside", "starting", "cancelled", "pushes", "own", "asks"];

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  ends.push(() => rm(folder, { recursive: true }));
  const command = (entry: string) => ({
    command: process.execPath,
    args: [PIPE, pollsAt(entry)],
    era: "2025-11-25",
    organizations: ["test"],
  });
  const mcpServers = Object.fromEntries(ENTRIES.map((entry) => [entry, command(entry)]));
  const text = JSON.stringify({ mcpServers });
  const path = join(folder, "servers.json");
  await writeFile(path, text);
  await fixture.within((tx) => giveOperatorServers(tx, "test", parseServersFile(text)));
  const engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_SERVERS_FILE: path });
  ends.push(() => engine.kill());
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function serverOf(entry: string) {
  return fixture.within(async (tx) => {
    const { id: serverId } = await tx.server.findFirstOrThrow({ where: { operatorEntry: entry } });
    const { id: connectionId } = await tx.connection.findFirstOrThrow({ where: { serverId } });
    return { serverId, connectionId };
  });
}

const pollsAt = (entry: string) => join(folder, `polls-${entry}`);

/** Waits until any of these may have asked, and the named ones were polled three times more: it is opened at none. */
async function staysInSight(entry: string, ids: string[], polled: string[]): Promise<void> {
  const { candidates } = await judged(fixture, (await serverOf(entry)).connectionId);
  expect([...candidates].sort()).toEqual([...ids].sort());
  const polls = async (name: string) =>
    (await readFile(pollsAt(entry), "utf8")).split("\n").filter((line) => line === name).length;
  for (const name of polled) {
    const before = await polls(name);
    await until(`${name} was polled again`, async () => (await polls(name)) >= before + 3);
  }
  for (const id of ids) expect(await queries.requestsOf(id)).toEqual([]);
}

test("a task asks while another one's call is open: nobody is shown it as the call's", async () => {
  const server = await serverOf("beside");
  const asking = await fixture.startTask(server, { name: "A", asksOn: "call B" }, WORK);
  await queries.inState(asking, "working");
  const call = await fixture.startTask(server, { name: "B" }, PLAIN);
  await queries.inState(asking, "input_required");
  await staysInSight("beside", [asking, call], ["A"]);
});

test("a call asks while a task works: it is asked, and the answer ends the call", async () => {
  const server = await serverOf("own");
  const works = await fixture.startTask(server, { name: "A" }, WORK);
  await queries.inState(works, "working");
  const call = await fixture.startTask(server, { name: "B", asks: true }, PLAIN);
  const request = await queries.openRequest(call, "Approve B?");
  await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  expect(JSON.stringify((await queries.inState(call, "completed")).result)).toContain("approve");
  expect(await queries.requestsOf(works)).toEqual([]);
});

test("a task asks while another one's handle is on its way: it is shown as what the first one asks", async () => {
  const server = await serverOf("starting");
  const asking = await fixture.startTask(server, { name: "A", asksOn: "call B" }, WORK);
  await queries.inState(asking, "working");
  const next = await fixture.startTask(server, { name: "B", handleAfterMs: 4_000 }, WORK);
  await queries.openRequest(asking, "Approve A?");
  expect(await queries.requestsOf(next)).toEqual([]);
});

test("a call was cancelled, and the next one asks: it is asked, and the answer ends the call", async () => {
  const server = await serverOf("cancelled");
  const cancelled = await fixture.startTask(server, { name: "A" }, PLAIN);
  await queries.inState(cancelled, "working");
  await fixture.within((tx) => requestCancel(tx, fixture.operator, cancelled));
  await queries.inState(cancelled, "cancelled");
  const next = await fixture.startTask(server, { name: "B", asks: true }, PLAIN);
  const request = await queries.openRequest(next, "Approve B?");
  await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  await queries.inState(next, "completed");
});

test("a task asks unprompted while another one's result is waited for: it is not shown as that one's", async () => {
  const server = await serverOf("pushes");
  const waiting = await fixture.startTask(server, { name: "A", waitsOn: "call B" }, WORK);
  await queries.inState(waiting, "working");
  const asking = await fixture.startTask(server, { name: "B", asksOn: "result A" }, WORK);
  await queries.inState(waiting, "input_required");
  await queries.inState(asking, "input_required");
  await staysInSight("pushes", [asking, waiting], ["A", "B"]);
});

test("a task asks unprompted while others work: its own word tells that it is the one", async () => {
  const server = await serverOf("asks");
  const works = await fixture.startTask(server, { name: "A" }, WORK);
  await queries.inState(works, "working");
  const asking = await fixture.startTask(server, { name: "B", asksOn: "call B" }, WORK);
  const request = await queries.openRequest(asking, "Approve B?");
  await fixture.answer(request.id, { action: "accept", content: { approve: false } });
  await queries.inState(asking, "completed");
  expect(await queries.requestsOf(works)).toEqual([]);
});
