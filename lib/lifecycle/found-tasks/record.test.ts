import { expect, test } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createSeal } from "../../base/seal.ts";
import type { RemoteTask } from "../../mcp/peer.ts";
import { listFoundTasks } from "./found-task-reads.ts";
import { recordFound } from "./found-task-writes.ts";

const fixture = organizationForFile([]);

const remote = (taskId: string, createdAt: string | null): RemoteTask => ({
  taskId,
  status: "working",
  statusMessage: taskId,
  createdAt,
  lastUpdatedAt: null,
  ttlMs: null,
  pollIntervalMs: null,
  questions: [],
});

/** The order in which finds of one refresh are listed. */
async function listed(tasks: RemoteTask[]): Promise<(string | null)[]> {
  const seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 7) }]);
  const { serverId, connectionId } = await fixture.addServer("https://erp.example/mcp", "2025-11-25");
  const { items } = await fixture.within(async (tx) => {
    await recordFound(tx, seal, { id: connectionId, serverId }, { tasks, clockOffsetMs: 0 });
    return listFoundTasks(tx, serverId, { limit: 200 });
  });
  return items.map((item) => item.statusMessage);
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const numbered = Array.from({ length: 30 }, (_, n) => `T-${n}`);

test("what one refresh finds is listed by its age, newest first, in whatever order the server lists it", async () => {
  const tasks = numbered.map((name, n) => remote(name, at(n)));
  expect(await listed(tasks)).toEqual(numbered.toReversed());
  expect(await listed(tasks.toReversed())).toEqual(numbered.toReversed());
});

test("tasks without a time are listed last, in the server's order", async () => {
  const tasks = [...numbered.map((name) => remote(name, null)), remote("timed", at(1))];
  expect(await listed(tasks)).toEqual(["timed", ...numbered]);
});
