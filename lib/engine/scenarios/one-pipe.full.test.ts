/** Command servers of 2025-11-25 that name no task in their questions: many tasks on one pipe, each asked in its turn. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { parseServersFile } from "../../servers/operator-file.ts";
import { giveOperatorServers } from "../../servers/operator-sync.ts";
import { type Traits, traitsSchema } from "../../servers/traits.ts";

const PIPE = fileURLToPath(new URL("../../../test/servers/pipes/pipe-server.ts", import.meta.url));
const APPROVE = tool("approve_invoice", { taskSupport: "required" });
const PATIENCE_MS = 180_000;

let fixture: OrganizationFixture;
const ends: (() => Promise<unknown>)[] = [];
const queries = createQueries(() => fixture, PATIENCE_MS);

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  const command = (...args: string[]) => ({
    command: process.execPath,
    args: [PIPE, ...args],
    era: "2025-11-25",
    organizations: ["test"],
  });
  const text = JSON.stringify({
    mcpServers: {
      fresh: command(),
      known: command(),
      once: command("once"),
      push: { ...command("push"), processes: 3 },
      announce: command("announce"),
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  ends.push(() => rm(folder, { recursive: true }));
  const path = join(folder, "servers.json");
  await writeFile(path, text);
  await fixture.within((tx) => giveOperatorServers(tx, "test", parseServersFile(text)));
  const engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_SERVERS_FILE: path });
  ends.push(() => engine.kill());
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function serverOf(entry: string) {
  return fixture.within(async (tx) => {
    const { id: serverId, traits } = await tx.server.findFirstOrThrow({ where: { operatorEntry: entry } });
    const { id: connectionId } = await tx.connection.findFirstOrThrow({ where: { serverId } });
    return { serverId, connectionId, traits: traitsSchema.parse(traits) };
  });
}

const NAMES = ["INV-70", "INV-71", "INV-72", "INV-73"];
/** Starts the tasks one after the other. */
async function startAll(entry: string): Promise<Map<string, string>> {
  const server = await serverOf(entry);
  const ids = new Map<string, string>();
  for (const name of NAMES) {
    ids.set(name, await fixture.startTask(server, { name }, APPROVE));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return ids;
}

async function learned(entry: string, traits: Traits): Promise<void> {
  const { serverId } = await serverOf(entry);
  await fixture.within((tx) =>
    tx.server.update({
      where: { organizationId_id: { organizationId: fixture.organizationId, id: serverId } },
      data: { traits },
    }),
  );
}

async function approveEach(ids: Map<string, string>): Promise<void> {
  for (const [name, id] of ids) {
    const request = await queries.openRequest(id, `Approve ${name}?`);
    await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  }
  for (const [name, id] of ids) {
    const { result } = await queries.inState(id, "completed");
    expect(JSON.stringify(result)).toContain(`${name}: {\\"approve\\":true}`);
  }
}

describe("four invoices, one after the other,", { timeout: 2 * PATIENCE_MS }, () => {
  test.each(["fresh", "once"])(
    "at a server that nobody has seen before (%s): each is asked and answered",
    async (entry) => {
      const ids = await startAll(entry);
      await approveEach(ids);
      const { traits } = await serverOf(entry);
      expect(traits.namesTask).toBe(false);
      expect(traits.reissues).not.toBe(false);
    },
  );

  test("at a server that asks each question once, unprompted: a process of its own for each, as the operator allows", async () => {
    const server = await serverOf("push");
    const ids = new Map<string, string>();
    for (const name of NAMES.slice(0, 3)) ids.set(name, await fixture.startTask(server, { name }, APPROVE));
    await approveEach(ids);
    // The tasks' processes have ended, so there is room for others.
    await approveEach(new Map([["INV-80", await fixture.startTask(server, { name: "INV-80" }, APPROVE)]]));
    expect((await serverOf("push")).traits.sessionLimit).toBeUndefined();
  });

  test("at a server that names the task in a status notification before each question, and asks once: each is asked and answered", async () => {
    // As learned by versions of Intray that did not look there.
    await learned("announce", { namesTask: false });
    await approveEach(await startAll("announce"));
    expect((await serverOf("announce")).traits.namesTask).toBe(true);
  });

  test("at a server known to name no task: all of them start, and are asked, before anybody answers", async () => {
    await learned("known", { namesTask: false });
    const ids = await startAll("known");
    for (const [name, id] of ids) await queries.openRequest(id, `Approve ${name}?`);
    const started = await Promise.all(
      [...ids.values()].map(async (id) => (await queries.task(id)).attemptAt!.getTime()),
    );
    expect(started).toEqual([...started].sort((a, b) => a - b));
    for (const id of ids.values()) expect((await queries.task(id)).error).toBeNull();
    await approveEach(ids);
  });
});
