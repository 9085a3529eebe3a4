/** HTTP 503 without a word when to come back: what is behind the gateway that says so may be at work all the same. */
import { describe, test } from "vitest";
import { createHostileFixture, PATIENCE_MS } from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile, manyAtOnce } from "../../../test/for-file.ts";
import { type Act, startHostileServer } from "../../../test/servers/hostile-server.ts";

const fixture = forFile(createHostileFixture);

const approve = { action: "accept" as const, content: {} };
const params = { mode: "form", message: "Go on?", requestedSchema: { type: "object", properties: {} } };
const asking = {
  status: "input_required",
  inputRequests: { ok: { method: "elicitation/create", params } },
};

/** The body of a gateway that speaks JSON-RPC. */
const NOT_READY = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32000, message: "No server is ready" },
});

/** Asks until an answer is taken; the first one is answered with 503, and taken or not. */
function asks({ takesTheFirst, body }: { takesTheFirst: boolean; body?: string }) {
  const received: unknown[] = [];
  let isTaken = false;
  const act: Act = ({ response, message, result, reply }) => {
    if (message.method === "tasks/get" && !isTaken) reply({ ...result, ...asking });
    else if (message.method !== "tasks/update") return false;
    else {
      received.push(message.params);
      isTaken = takesTheFirst || received.length > 1;
      if (received.length > 1) reply({});
      else response.writeHead(503, { "content-type": "application/json" }).end(body);
    }
    return true;
  };
  return { act, received: received };
}

manyAtOnce();
describe.concurrent("503", { timeout: 300_000 }, () => {
  test("to an answer that was taken: it is not sent again, and counts as delivered", async ({
    expect,
    ...context
  }) => {
    const { act, received } = asks({ takesTheFirst: true });
    const { id, ends } = await fixture.task(context, "2026-07-28", act);
    const request = await fixture.queries.openRequest(id);
    await fixture.organization.answer(request.id, approve);
    await until(
      "it is settled",
      async () => (await fixture.queries.request(request.id)).endedAt !== null,
      PATIENCE_MS,
    );
    expect((await fixture.queries.request(request.id)).state).toBe("settled");
    expect(await fixture.queries.deliveryOf(request.id)).toMatchObject({ state: "confirmed", attempts: 1 });
    expect(received).toHaveLength(1);
    await ends();
  });

  test.for([
    ["without a body", undefined],
    ["with a JSON-RPC error", NOT_READY],
  ] as const)(
    "to an answer that was not taken, %s: it is sent once more, when the question has stood for a while",
    async ([, body], { expect, ...context }) => {
      const { act, received } = asks({ takesTheFirst: false, ...(body && { body }) });
      const { id, ends } = await fixture.task(context, "2026-07-28", act);
      const request = await fixture.queries.openRequest(id);
      await fixture.organization.answer(request.id, approve);
      await until(
        "it is settled",
        async () => (await fixture.queries.request(request.id)).state === "settled",
        PATIENCE_MS,
      );
      expect(received).toHaveLength(2);
      await ends();
    },
  );

  test.for([
    ["without a body", undefined],
    ["with a JSON-RPC error", NOT_READY],
  ] as const)(
    "to a call, %s: it is not made again, for it may have made a task",
    async ([, body], { expect, onTestFinished }) => {
      const server = await startHostileServer(({ response, message }) => {
        if (message.method !== "tools/call") return false;
        response.writeHead(503, { "content-type": "application/json" }).end(body);
        return true;
      });
      onTestFinished(() => server.close());
      const added = await fixture.organization.addServer(server.url, "2025-11-25");
      const id = await fixture.organization.startTask(added, {}, tool("work", { taskSupport: "required" }));
      await fixture.queries.inState(id, "start_unknown");
      expect(server.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    },
  );
});

test("429, and nothing for an hour: the reply to a call that comes meanwhile is stored at once, and nothing is sent", {
  timeout: 300_000,
}, async ({ expect, onTestFinished }) => {
  let isBusy = false;
  let tellReply = () => {};
  const polled: boolean[] = [];
  const server = await startHostileServer(({ response, message, result, reply }) => {
    if (message.method === "tools/call" && message.params.name === "late") tellReply = () => reply(result);
    else if (message.method === "tasks/get") {
      polled.push(isBusy);
      if (!isBusy) return false;
      response.writeHead(429, { "retry-after": "3600" }).end();
    } else return false;
    return true;
  });
  onTestFinished(() => server.close());
  const { organization, queries } = fixture;
  const added = await organization.addServer(server.url, "2026-07-28");
  await queries.inState(
    await organization.startTask(added, {}, tool("work", { taskSupport: "required" })),
    "working",
  );
  const id = await organization.startTask(added, {}, tool("late", { taskSupport: "required" }));
  // The call may still be open.
  await queries.inState(id, "working");
  isBusy = true;
  const where = { organizationId: organization.organizationId, id: added.connectionId };
  await until(
    "the server is left alone",
    async () =>
      (await organization.within((tx) => tx.connection.findFirstOrThrow({ where }))).circuitFailures > 0,
    PATIENCE_MS,
  );
  tellReply();
  await until("the handle is stored", async () => (await queries.task(id)).sealedHandle !== null);
  expect(await queries.task(id)).toMatchObject({ state: "working", durable: true });
  expect(polled.filter((wasBusy) => wasBusy)).toHaveLength(1);
});
