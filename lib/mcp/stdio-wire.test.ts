import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createNetwork, type Network } from "../network.ts";
import { createPeer, openWire } from "./connect.ts";
import { discover } from "./discover.ts";
import type { CallOptions, Peer, Question, RpcId, Session, StreamListener, TaskResult } from "./peer.ts";
import type { Wire } from "./wire.ts";

const SCRIPT = fileURLToPath(new URL("../testing/stdio-server.ts", import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);
const options: CallOptions = { deadlineMs: 15_000 };

let network: Network;
const wires: Wire[] = [];
beforeAll(() => {
  network = createNetwork({ allowHosts: [], denyPorts: [] });
});
afterEach(async () => {
  await Promise.all(wires.splice(0).map((wire) => wire.end()));
});
afterAll(() => network.close());

/** A wire to the script, and what it wrote to stderr. */
function open(args: string[] = [], env: Record<string, string> = {}, command = process.execPath) {
  const log: string[] = [];
  const wire = openWire({ command, args, env }, network, { onLog: (line) => log.push(line) });
  wires.push(wire);
  return { wire, log, v1: createPeer("2025-11-25", wire), v2: createPeer("2026-07-28", wire) };
}

function notes() {
  const questions: { question: Question; relatedTaskId: string | null }[] = [];
  const closed: string[] = [];
  const retracted: RpcId[] = [];
  const results: TaskResult[] = [];
  const listener: StreamListener & { onResult(result: TaskResult): void } = {
    onQuestion: (question, relatedTaskId) => questions.push({ question, relatedTaskId }),
    onRetracted: (id) => retracted.push(id),
    onStatus() {},
    onProgress() {},
    onEventId() {},
    onClosed: (reason) => closed.push(reason),
    onResult: (result) => results.push(result),
  };
  return { questions, closed, retracted, results, listener };
}

/** Calls a tool without a task and reads the text of its result as JSON. */
async function call(
  peer: Peer,
  session: Session | null,
  tool: string,
  args = {},
  more: Partial<CallOptions> = {},
) {
  const outcome = await peer.start(
    session,
    { tool, arguments: args, taskSupport: "forbidden", ttlMs: null, idempotencyKey: "k" },
    notes().listener,
    { ...options, ...more },
  );
  if (outcome.kind !== "result") throw new Error(`no result but ${outcome.kind}`);
  return JSON.parse((outcome.result as { content: [{ text: string }] }).content[0].text) as unknown;
}

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
    await vi.waitFor(() => expect(heard.questions).toHaveLength(1), { timeout: 10_000 });
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
    await vi.waitFor(() => expect(heard.questions).toHaveLength(1), { timeout: 10_000 });
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
    await vi.waitFor(() => expect(log).toHaveLength(2), { timeout: 10_000 });
    expect(log[0]).toBe("Not a message: this is no JSON");
    expect(log[1]).toMatch(/^the key is ••• x{3000,4096}$/);
  });
});

describe("a command that dies", () => {
  it("leaves the outcome of its calls unknown, ends its session, and is started again after a pause", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    const heard = notes();
    await v1.listen(session, heard.listener, options);
    const asked = call(v1, session, "listen");
    const dying = call(v1, session, "die");
    await expect(dying).rejects.toMatchObject({ code: "unreachable", reached: "maybe" });
    await expect(asked).rejects.toMatchObject({ code: "unreachable", reached: "maybe" });
    await vi.waitFor(() => expect(heard.closed).toEqual(["failed"]));
    await expect(call(v1, session, "echo")).rejects.toMatchObject({ code: "session_gone", reached: "no" });
    await expect(v1.listen(session, heard.listener, options)).rejects.toMatchObject({ code: "session_gone" });
    const next = await vi.waitFor(() => v1.open(options), { timeout: 10_000 });
    expect(next?.id).not.toBe(session?.id);
    expect(await call(v1, next, "echo", { n: 1 })).toEqual({ n: 1 });
  });

  it.each([
    ["at once", process.execPath, [SCRIPT, "dead"]],
    ["because it does not exist", "/no/such/command", []],
  ])("%s is run less and less often, and its calls never arrived", async (_, command, args) => {
    const { v1 } = open(args, {}, command);
    const refusals: (number | null)[] = [];
    await vi.waitFor(
      async () => {
        const error = await v1.open(options).then(
          () => undefined,
          (reason: { retryAfterMs: number | null }) => reason,
        );
        expect(error).toMatchObject({ code: "unreachable" });
        refusals.push(error?.retryAfterMs ?? null);
        // It was run a third time, and the pause is longer than the first.
        expect(refusals.filter((pause) => pause === null).length).toBeGreaterThanOrEqual(2);
        expect(Math.max(...refusals.map(Number))).toBeGreaterThan(500);
      },
      { timeout: 15_000, interval: 50 },
    );
  });

  it("is no call that arrived where it does not exist", async () => {
    const { v2 } = open([], {}, "/no/such/command");
    await expect(call(v2, null, "echo")).rejects.toMatchObject({ code: "unreachable", reached: "no" });
  });

  it("is killed when it says more than 10 MB in one message", async () => {
    const { v1, log } = open([SCRIPT]);
    const session = await v1.open(options);
    await expect(call(v1, session, "huge")).rejects.toMatchObject({ code: "unreachable", reached: "maybe" });
    expect(log.join()).toContain("larger than 10 MB");
  });

  it("is ended when it does not listen any more", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    await expect(call(v1, session, "deaf", {}, { deadlineMs: 500 })).rejects.toMatchObject({
      reached: "maybe",
    });
    await vi.waitFor(
      () =>
        expect(call(v1, session, "echo", {}, { deadlineMs: 500 })).rejects.toMatchObject({
          code: "session_gone",
        }),
      { timeout: 10_000 },
    );
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

describe("the end", () => {
  /** Pid, parent and state of every process; what is dead and waits for its parent does not count. */
  const processes = () =>
    execFileSync("ps", ["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat="], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/) as [string, string, string])
      .filter(([, , state]) => !state.startsWith("Z"));
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill("SIGKILL");
  });

  it("of the wire is the end of the child, also of one that does not want to", async () => {
    const { wire, v1 } = open([SCRIPT, "stubborn"]);
    const session = await v1.open(options);
    const waiting = call(v1, session, "listen").catch((error: unknown) => error);
    await wire.end();
    expect(await waiting).toMatchObject({ code: "unreachable", reached: "maybe" });
    await expect(v1.open(options)).rejects.toMatchObject({ code: "unreachable", reached: "no" });
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("of our process by %s is the end of the child", async (signal) => {
    const program = `
      import { createNetwork } from "./lib/network.ts";
      import { createPeer, openWire } from "./lib/mcp/connect.ts";
      process.on("SIGTERM", () => process.exit(0));
      const endpoint = { command: process.execPath, args: [${JSON.stringify(SCRIPT)}, "stubborn"], env: {} };
      const peer = createPeer("2025-11-25", openWire(endpoint, createNetwork({ allowHosts: [], denyPorts: [] })));
      await peer.open({ deadlineMs: 15000 });
      console.log(process.pid);`;
    const ours = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(ours);
    await once(ours.stdout, "data");
    const ofOurs = processes().filter(([, parent]) => parent === String(ours.pid));
    const children = ofOurs.map(([pid]) => pid);
    expect(children).toHaveLength(2);
    ours.kill(signal);
    const left = () => processes().filter(([pid]) => children.includes(pid));
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 15_000, interval: 200 });
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
    await vi.waitFor(async () => expect((await v1.get(task, options)).task?.status).toBe("input_required"), {
      timeout: 15_000,
      interval: 200,
    });
    const result = await v1.openResult(task, heard.listener, options);
    await vi.waitFor(() => expect(heard.questions).toHaveLength(1), { timeout: 10_000 });
    expect(heard.questions[0]?.relatedTaskId).toBe(task.taskId);
    result?.close();
    const { address } = heard.questions[0]!.question;
    await v1.answer(task, address, { action: "accept", content: { interpretation: "technical" } }, options);
    const end = await vi.waitFor(
      async () => {
        const { task: remote } = await v1.get(task, options);
        expect(remote?.status).toBe("completed");
        return remote!;
      },
      { timeout: 15_000, interval: 200 },
    );
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
