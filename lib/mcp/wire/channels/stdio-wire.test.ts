import { afterEach, describe, expect, it } from "vitest";
import { call, EVERYTHING, endAll, notes, open, options, SCRIPT } from "../../../../test/commands.ts";
import { patiently } from "../../../../test/setup/patience.ts";
import { discover } from "../../discover.ts";

afterEach(endAll);

describe("a command of 2025-11-25", () => {
  it("is not run before the first call, and knows of our environment no more than it must", async () => {
    const { v1 } = open([SCRIPT], { OWN: "value" });
    const session = await v1.open(options);
    const environment = (await call(v1, session, "environment")) as Record<string, string>;
    expect(
      Object.keys(environment).filter((name) => !["PATH", "HOME", "LANG", "OWN"].includes(name)),
    ).toEqual([]);
    expect(environment.OWN).toBe("value");
  });

  it("has one session for all who open one, and is initialized once", async () => {
    const { v1 } = open([SCRIPT]);
    const [one, other] = await Promise.all([v1.open(options), v1.open(options)]);
    expect(one).toEqual(other);
    await v1.close(one, options);
    expect(await v1.open(options)).toEqual(one);
    expect(await call(v1, one, "heard")).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    expect(await v1.listTools(one, options)).toMatchObject([{ name: "echo", taskSupport: "forbidden" }]);
  });

  it("asks on the call that is open, and takes the answer", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    const heard = notes();
    const input = {
      tool: "ask",
      arguments: {},
      taskSupport: "forbidden",
      ttlMs: null,
      idempotencyKey: "k",
    } as const;
    const outcome = v1.start(session, input, heard.listener, options);
    await patiently(() => expect(heard.questions).toHaveLength(1));
    const { question } = heard.questions[0]!;
    await v1.answer({ taskId: "-", session }, question.address, { action: "accept", content: {} }, options);
    expect(JSON.stringify(await outcome)).toContain("accept");
  });

  it("keeps a question for the standalone stream, which only one may hold", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    expect(await call(v1, session, "ask-later")).toBe("asked");
    await call(v1, session, "echo");
    const heard = notes();
    const stream = await v1.listen(session, heard.listener, options);
    expect(heard.questions).toEqual([]);
    await expect(v1.listen(session, notes().listener, options)).rejects.toMatchObject({
      code: "rejected",
      httpStatus: 409,
    });
    await patiently(() => expect(heard.questions).toHaveLength(1));
    expect(heard.questions[0]).toMatchObject({
      relatedTaskId: "t",
      question: { address: { kind: "rpc", rpcId: 0 } },
    });
    stream?.close();
    expect(heard.closed).toEqual(["closed_here"]);
    (await v1.listen(session, notes().listener, options))?.close();
  });

  it("is told nothing when a stream is dropped or a call given up, and its late reply is ignored", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    await expect(call(v1, session, "late", {}, { deadlineMs: 200 })).rejects.toMatchObject({
      code: "timeout",
      reached: "maybe",
    });
    (await v1.openResult({ taskId: "t", session }, notes().listener, options))?.close();
    expect(await call(v1, session, "late", {}, { deadlineMs: 1, replyWithinMs: 10_000 })).toBe("late");
    const heard = await call(v1, session, "heard");
    expect(heard).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/call",
      "tasks/result",
      "tools/call",
      "tools/call",
    ]);
  });

  it("may write garbage to stdout, and secrets and endless lines to stderr", async () => {
    const { v1, log } = open([SCRIPT], { API_KEY: "sk-123456789" });
    const session = await v1.open(options);
    expect(await call(v1, session, "garbage")).toBe("after garbage");
    await call(v1, session, "secret");
    await patiently(() => expect(log).toHaveLength(2));
    expect(log[0]).toBe("Not a message: this is no JSON");
    expect(log[1]).toMatch(/^the key is ••• x{3000,4096}$/);
  });
});

describe("finding out what a command speaks", () => {
  it.each([
    ["", "2025-11-25"],
    ["mute", "2025-11-25"],
    ["fussy", "2025-11-25"],
    ["modern", "2026-07-28"],
  ])("%s", async (mode, era) => {
    const { wire } = open([SCRIPT, mode]);
    expect((await discover(wire, "auto", { deadlineMs: 8_000 })).era).toBe(era);
  });

  it("of 2026-07-28: each call says who we are, and there are no sessions", async () => {
    const { v2 } = open([SCRIPT, "modern"]);
    expect(await v2.open(options)).toBeNull();
    expect(await v2.listTools(null, options)).toMatchObject([{ name: "echo", taskSupport: "optional" }]);
    expect(await call(v2, null, "any")).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    });
  });
});

describe("server-everything over stdio", () => {
  it("asks in a task, and the answer goes to the question's id", async () => {
    const { wire, v1 } = open([EVERYTHING, "stdio"]);
    expect((await discover(wire, "auto", options)).era).toBe("2025-11-25");
    const session = await v1.open(options);
    const heard = notes();
    const standalone = notes();
    const stream = await v1.listen(session, standalone.listener, options);
    const outcome = await v1.start(
      session,
      {
        tool: "simulate-research-query",
        arguments: { topic: "python", ambiguous: true },
        taskSupport: "required",
        ttlMs: null,
        idempotencyKey: "k",
      },
      heard.listener,
      options,
    );
    if (outcome.kind !== "task") throw new Error(`no task but ${outcome.kind}`);
    const task = { taskId: outcome.task.taskId, session };
    await patiently(async () => expect((await v1.get(task, options)).task?.status).toBe("input_required"));
    const result = await v1.openResult(task, heard.listener, options);
    await patiently(() => expect(heard.questions).toHaveLength(1));
    expect(heard.questions[0]?.relatedTaskId).toBe(task.taskId);
    result?.close();
    const { address } = heard.questions[0]!.question;
    await v1.answer(task, address, { action: "accept", content: { interpretation: "technical" } }, options);
    const end = await patiently(async () => {
      const { task: remote } = await v1.get(task, options);
      expect(remote?.status).toBe("completed");
      return remote!;
    });
    expect(await v1.result(task, end, options)).toMatchObject({ kind: "result" });
    expect(standalone.questions).toEqual([]);
    stream?.close();
  });
});

it("the official server of 2026-07-28 over stdio: found out, called, asked before it acts", async () => {
  const program = `
    import { Server } from "@modelcontextprotocol/server";
    import { serveStdio } from "@modelcontextprotocol/server/stdio";
    serveStdio(() => {
      const server = new Server({ name: "official", version: "1" }, { capabilities: { tools: {} } });
      const inputSchema = { type: "object", properties: {} };
      server.setRequestHandler("tools/list", () => ({ tools: [{ name: "order", inputSchema }] }));
      const params = { message: "How many?", requestedSchema: inputSchema };
      server.setRequestHandler("tools/call", (_, { mcpReq }) => mcpReq.inputResponses
        ? { content: [{ type: "text", text: JSON.stringify([mcpReq.inputResponses, mcpReq.requestState()]) }] }
        : {
            resultType: "input_required",
            inputRequests: { amount: { method: "elicitation/create", params } },
            requestState: "first ✓ second",
          });
      return server;
    });`;
  const { wire, v2 } = open(["--input-type=module", "-e", program]);
  expect(await discover(wire, "auto", options)).toMatchObject({ era: "2026-07-28" });
  expect(await v2.listTools(null, options)).toMatchObject([{ name: "order" }]);
  const input = { tool: "order", arguments: {}, ttlMs: null, idempotencyKey: "k" };
  const asked = await v2.start(null, input, notes().listener, options);
  if (asked.kind !== "input_required") throw new Error(`not asked but ${asked.kind}`);
  const inputResponses = { amount: { action: "accept" as const, content: { n: 3 } } };
  const retry = { inputResponses, requestState: asked.requestState };
  const end = await v2.start(null, { ...input, retry }, notes().listener, options);
  expect(JSON.stringify(end)).toContain("first ✓ second");
  expect(await v2.subscribe(["t"], notes().listener, options)).toBeNull();
});
