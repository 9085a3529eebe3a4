/** Scans of a connection grow apart where nothing happens, and go on: what nobody told of is found all the same. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { insertTask } from "../../../test/fixtures/rows.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";

vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  SLOW_SCAN_MS: 200,
  CALM_SCAN_MS: 600,
  EMPTY_SCANS: 2,
  // Finds the same, and is not what is tried here; nor is a lease that is made anew.
  SCAN_ALL_MS: 24 * 3600_000,
}));

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
const { openRequest, task } = createQueries(() => fixture);

/** Makes the rows of a task like `first` alone: no notice goes with them. */
async function queuedInSilence(first: string): Promise<string> {
  const { organizationId, database, within } = fixture;
  const { serverId, connectionId } = await task(first);
  const server = { id: serverId, connectionId };
  const id = await insertTask(database, organizationId, server, { state: "queued", tool: "approve" });
  await within(async (tx) => {
    await tx.taskWatch.create({ data: { organizationId, taskId: id } });
    await tx.$executeRaw`UPDATE task SET sealed_handle = NULL, tool_hints = like_it.tool_hints
      FROM task like_it WHERE task.organization_id = ${organizationId}::uuid AND task.id = ${id}::uuid
        AND like_it.organization_id = ${organizationId}::uuid AND like_it.id = ${first}::uuid`;
  });
  return id;
}

test("a task that nobody told of is started, again and again, whether scans come often or rarely", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const first = await fixture.startTask(server, {}, tool("approve"));
  await openRequest(first);
  for (let times = 0; times < 3; times++) {
    await sleep(2_000);
    await openRequest(await queuedInSilence(first));
  }
  expect(remote.calls).toHaveLength(4);
});
