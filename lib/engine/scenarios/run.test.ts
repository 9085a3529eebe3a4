/** The engine for a bounded time, where no engine process runs. */
import { beforeAll, expect, test } from "vitest";
import { PROCESS_INVOICE, until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { forFile } from "../../../test/for-file.ts";
import { startSessionServer } from "../../../test/servers/session-server.ts";

const remote = forFile(startSessionServer);
const fixture = organizationForFile(["127.0.0.1"]);
let runEngineFor: (ms: number) => Promise<{ leases: number }>;

beforeAll(async () => {
  Object.assign(process.env, fixture.engineEnvironment, { LOG_LEVEL: "silent" });
  ({ runEngineFor } = await import("../open-engine.ts"));
});

const task = (id: string) =>
  fixture.within((tx) => tx.task.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id } }));
const requestOf = (taskId: string) =>
  fixture.within((tx) =>
    tx.inputRequest.findFirst({ where: { organizationId: fixture.organizationId, taskId, state: "open" } }),
  );

test("bounded runs start tasks, capture and deliver, and any other engine can continue at once", async () => {
  const server = await fixture.addServer(remote.url, "2025-11-25");
  const id = await fixture.startTask(server, {}, PROCESS_INVOICE);

  // On a busy machine the question comes too late for the first run.
  const request = await until("a run captures", async () => {
    let asked = false;
    const asking = setInterval(() => {
      const [there] = remote.tasks;
      if (there && !asked) asked = remote.ask(there, "Pay?") !== null;
    }, 20);
    expect(await runEngineFor(2_500)).toEqual({ leases: 1 });
    clearInterval(asking);
    return requestOf(id);
  });
  expect(request.message).toBe("Pay?");
  // No stream or call stays open between runs.
  expect(remote.ask(remote.tasks[0]!, "Anybody?")).toBeNull();

  await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  await until("a run has delivered", async () => {
    await runEngineFor(1_500);
    return remote.answered.length > 0;
  });
  expect(remote.answered).toHaveLength(1);

  remote.tasks[0]!.status = "completed";
  const engine = await fixture.startEngine();
  await until("it completes", async () => (await task(id)).state === "completed");
  await engine.stop();
});
