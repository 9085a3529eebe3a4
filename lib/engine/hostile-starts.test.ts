/** Servers that answer the one call with side effects with nonsense: it is made once, and a person is told what is known. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { manyAtOnce } from "../testing/at-once.ts";
import { unreadable } from "../testing/hostile-acts.ts";
import { type HostileScene, PATIENCE_MS, setHostileScene } from "../testing/hostile-scene.ts";
import { startHostileServer } from "../testing/hostile-server.ts";
import { tool } from "../testing/tool.ts";
import { until } from "../testing/world.ts";

let scene: HostileScene;
beforeAll(async () => {
  scene = await setHostileScene();
});
afterAll(() => scene.close());

/** Of polls alone: a call's reply has no task id and no status of its own. */
const OF_POLLS = ["a task id of a megabyte", "a status that does not exist"];
const acts = Object.entries(unreadable("tools/call")).filter(([name]) => !OF_POLLS.includes(name));
const cases = acts.flatMap(([name, act]) =>
  (["2025-11-25", "2026-07-28"] as const).map((era) => ({ name, era, act })),
);
/** Nobody knows, or the server's own answer says that it has not begun. */
const ENDS = ["start_unknown", "failed", "completed"];

manyAtOnce();
describe.concurrent("a call is answered with", { timeout: 300_000 }, () => {
  test.for(cases)("$name ($era)", async ({ name, era, act }, { expect, onTestFinished }) => {
    const server = await startHostileServer(act);
    onTestFinished(() => server.close());
    const added = await scene.world.addServer(server.url, era);
    const id = await scene.world.startTask(added, {}, tool("work", { taskSupport: "required" }));
    const task = await until(
      "its start is settled",
      async () => {
        const row = await scene.look.task(id);
        return ENDS.includes(row.state) && row;
      },
      PATIENCE_MS,
    );
    await scene.neighbourWorks();
    expect(server.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    // What has no era of tasks in it is a result like any other, once it can be read.
    if (task.state === "completed") expect(name).toMatch(/never/);
    expect(JSON.stringify(task.error ?? "").length).toBeLessThan(3_000);
  });
});
