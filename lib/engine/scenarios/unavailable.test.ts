/** HTTP 503 without a word when to come back: what is behind the gateway that says so may be at work all the same. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { manyAtOnce } from "../../../test/fixtures/at-once.ts";
import { type HostileScene, PATIENCE_MS, setHostileScene } from "../../../test/fixtures/hostile-scene.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { until } from "../../../test/fixtures/world.ts";
import { type Act, startHostileServer } from "../../../test/servers/hostile-server.ts";

let scene: HostileScene;
beforeAll(async () => {
  scene = await setHostileScene();
});
afterAll(() => scene.close());

const approve = { action: "accept" as const, content: {} };
const params = { mode: "form", message: "Go on?", requestedSchema: { type: "object", properties: {} } };
const asking = {
  status: "input_required",
  inputRequests: { ok: { method: "elicitation/create", params } },
};

/** Asks until an answer is taken; the first one is answered with 503, and taken or not. */
function asks({ takesTheFirst }: { takesTheFirst: boolean }) {
  const told: unknown[] = [];
  let isTaken = false;
  const act: Act = ({ response, message, result, reply }) => {
    if (message.method === "tasks/get" && !isTaken) reply({ ...result, ...asking });
    else if (message.method !== "tasks/update") return false;
    else {
      told.push(message.params);
      isTaken = takesTheFirst || told.length > 1;
      if (told.length > 1) reply({});
      else response.writeHead(503).end();
    }
    return true;
  };
  return { act, told };
}

manyAtOnce();
describe.concurrent("503", { timeout: 300_000 }, () => {
  test("to an answer that was taken: it is not sent again, and counts as delivered", async ({
    expect,
    ...context
  }) => {
    const { act, told } = asks({ takesTheFirst: true });
    const { id, ends } = await scene.task(context, "2026-07-28", act);
    const request = await scene.look.openRequest(id);
    await scene.world.answer(request.id, approve);
    await until(
      "it is settled",
      async () => (await scene.look.request(request.id)).endedAt !== null,
      PATIENCE_MS,
    );
    expect((await scene.look.request(request.id)).state).toBe("settled");
    expect(await scene.look.deliveryOf(request.id)).toMatchObject({ state: "confirmed", attempts: 1 });
    expect(told).toHaveLength(1);
    await ends();
  });

  test("to an answer that was not taken: it is sent once more, when the question has stood for a while", async ({
    expect,
    ...context
  }) => {
    const { act, told } = asks({ takesTheFirst: false });
    const { id, ends } = await scene.task(context, "2026-07-28", act);
    const request = await scene.look.openRequest(id);
    await scene.world.answer(request.id, approve);
    await until(
      "it is settled",
      async () => (await scene.look.request(request.id)).state === "settled",
      PATIENCE_MS,
    );
    expect(told).toHaveLength(2);
    await ends();
  });

  test("to a call: it is not made again, for it may have made a task", async ({ expect, onTestFinished }) => {
    const server = await startHostileServer(({ response, message }) => {
      if (message.method !== "tools/call") return false;
      response.writeHead(503).end();
      return true;
    });
    onTestFinished(() => server.close());
    const added = await scene.world.addServer(server.url, "2025-11-25");
    const id = await scene.world.startTask(added, {}, tool("work", { taskSupport: "required" }));
    await scene.look.inState(id, "start_unknown");
    expect(server.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });
});
