import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { parseServersFile } from "../../servers/operator-file.ts";
import { giveOperatorServers } from "../../servers/operator-sync.ts";

const PATIENCE_MS = 180_000;
const EVERYTHING = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);

let folder: string;
let remote: TestServer;
let fixture: OrganizationFixture;
const engines: EngineProcess[] = [];
const queries = createQueries(() => fixture, PATIENCE_MS);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  remote = await startTestServer();
  fixture = await createOrganizationFixture(["127.0.0.1"]);
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.kill()));
  await fixture.close();
  await remote.close();
  await rm(folder, { recursive: true });
});

/** Starts an engine that reads this operator's file. */
async function startEngineWith(name: string, mcpServers: object): Promise<EngineProcess> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify({ mcpServers }));
  const engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_SERVERS_FILE: path });
  engines.push(engine);
  return engine;
}

const serverOf = (entry: string) =>
  fixture.within(async (tx) => {
    const server = await tx.server.findFirstOrThrow({ where: { operatorEntry: entry } });
    const { id } = await tx.connection.findFirstOrThrow({ where: { serverId: server.id } });
    return { ...server, serverId: server.id, connectionId: id };
  });

test("tasks wait while the file does not give the server to the organization, and run once it does", {
  timeout: 300_000,
}, async () => {
  const given = {
    // The era is known, so no probe precedes the call with side effects.
    remote: { url: remote.url, headers: { "X-Key": "s3cret" }, organizations: ["test"], era: "2026-07-28" },
    everything: { command: process.execPath, args: [EVERYTHING, "stdio"], organizations: ["test"] },
  };
  await fixture.within((tx) =>
    giveOperatorServers(tx, "test", parseServersFile(JSON.stringify({ mcpServers: given }))),
  );
  const asking = await fixture.startTask(await serverOf("remote"), {}, tool("approve"));
  const research = await fixture.startTask(
    await serverOf("everything"),
    { topic: "durability", ambiguous: false },
    tool("simulate-research-query", { taskSupport: "required" }),
  );

  const stranger = await startEngineWith("others.json", {
    remote: { ...given.remote, organizations: ["another"] },
  });
  for (const entry of ["remote", "everything"])
    await until(
      `${entry} has no entry`,
      async () => (await serverOf(entry)).healthMessage === "The operator has removed this server's entry.",
      PATIENCE_MS,
    );
  const said = z.object({ message: z.string() }).nullable();
  for (const id of [asking, research])
    await until(
      "the task says why it waits",
      async () =>
        said.parse((await queries.task(id)).error)?.message ===
        "The operator has removed this server's entry.",
    );
  expect(remote.seen).toEqual([]);
  await stranger.kill();

  await startEngineWith("servers.json", given);
  const request = await queries.openRequest(asking);
  await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  await queries.inState(asking, "completed");
  await queries.inState(research, "completed");
  expect(remote.answers).toHaveLength(1);
  expect(remote.seen.every((headers) => headers["x-key"] === "s3cret")).toBe(true);
});
