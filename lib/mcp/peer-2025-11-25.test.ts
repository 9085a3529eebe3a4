import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notes } from "../../test/commands.ts";
import { type OfficialServer, startOfficialServer } from "../../test/servers/official/official-server.ts";
import { patiently } from "../../test/setup/patience.ts";
import { createNetwork, type Network } from "../base/network/network.ts";
import { createPeer, openWire } from "./connect.ts";
import { discover } from "./discover.ts";
import type { Peer, RemoteTask, Session, TaskRef } from "./peer.ts";

const options = { deadlineMs: 5_000 };

describe.each([
  { example: "simpleTaskInteractive", tool: "confirm_delete", args: { filename: "a.txt" }, names: true },
  {
    example: "simpleStreamableHttp",
    tool: "collect-user-info-task",
    args: { infoType: "contact" },
    names: false,
  },
] as const)("$example", ({ example, tool, args, names }) => {
  let server: OfficialServer;
  let network: Network;
  let peer: Peer;
  let session: Session | null;
  beforeAll(async () => {
    server = await startOfficialServer(example);
    network = createNetwork({ allowHosts: [server.hostAndPort], denyPorts: [] });
    peer = createPeer("2025-11-25", openWire({ url: server.url, headers: {} }, network));
    session = await peer.open(options);
  });
  afterAll(async () => {
    await network.close();
    await server.stop();
  });

  const input = {
    tool,
    arguments: args,
    taskSupport: "required",
    ttlMs: 600_000,
    idempotencyKey: "k",
  } as const;
  const current = async (task: TaskRef) => {
    const { task: remote } = await peer.get(task, options);
    if (!remote) throw new Error("not parsed");
    return remote;
  };

  it("is discovered by a probe that leaves no session behind", async () => {
    const methods: string[] = [];
    const found = await discover(openWire({ url: server.url, headers: {} }, network), "auto", {
      ...options,
      onMessage: (direction, method) => direction === "out" && methods.push(method),
    });
    expect(found.era).toBe("2025-11-25");
    expect(found.capabilities).toHaveProperty("tasks");
    expect(methods).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    await expect(
      discover(openWire({ url: server.url, headers: {} }, network), "2026-07-28", options),
    ).rejects.toMatchObject({ reached: "yes" });
  });

  it("has a session and says which tools make tasks", async () => {
    expect(session).toMatchObject({ id: expect.any(String), protocolVersion: "2025-11-25" });
    const tools = await peer.listTools(session, options);
    expect(tools.find(({ name }) => name === tool)).toMatchObject({ taskSupport: "required" });
  });

  it("asks on the stream that was opened before the call; the answer goes out without any stream", async () => {
    const heard = notes();
    const stream = await peer.listen(session, heard.listener, options);
    expect(stream).not.toBeNull();
    const outcome = await peer.start(session, input, heard.listener, options);
    if (outcome.kind !== "task") throw new Error(`not a task but ${outcome.kind}`);
    const task: TaskRef = { taskId: outcome.task.taskId, session };
    const held = await peer.openResult(task, heard.listener, options);
    await patiently(() => expect(heard.questions).toHaveLength(1));
    const [asked] = heard.questions;
    if (!asked) throw new Error("nothing asked");
    expect(asked.relatedTaskId).toBe(names ? task.taskId : null);
    expect(asked.question).toMatchObject({
      mode: "form",
      address: { kind: "rpc", rpcId: expect.any(Number) },
    });

    held?.close();
    stream?.close();
    expect(heard.closed).toEqual(["closed_here", "closed_here"]);
    const working = await peer.get(task, options);
    if (working.task?.status === "working") {
      expect((await peer.get(task, { ...options, fingerprint: working.fingerprint })).task).toBeNull();
    }

    const content = { confirm: true, name: "Ana", email: "ana@example.com" };
    await peer.answer(task, asked.question.address, { action: "accept", content }, options);
    const end = await patiently(async () => {
      const remote: RemoteTask = await current(task);
      expect(remote.status).toBe("completed");
      return remote;
    });
    const result = await peer.result(task, end, options);
    expect(result).toMatchObject({ kind: "result", result: { content: [{ type: "text" }] } });
    expect(heard.results).toEqual([]);
  });

  it("takes one GET stream a session and shows it when the stream is busy", async () => {
    const heard = notes();
    // The server notices the end of the earlier stream a moment later.
    const stream = await patiently(() => peer.listen(session, heard.listener, options));
    await expect(peer.listen(session, notes().listener, options)).rejects.toMatchObject({
      code: "rejected",
      httpStatus: 409,
    });
    stream?.close();
  });

  it("does not know a task, and lists tasks where it can", async () => {
    const gone: TaskRef = { taskId: "nobody", session };
    await expect(peer.get(gone, options)).rejects.toMatchObject({ code: "task_not_found", reached: "yes" });
    const listed = await peer.list(session, 10, options);
    if (names) expect(listed).toBeNull();
    else expect(listed?.tasks.map(({ status }) => status)).toContain("completed");
  });

  it("closes its session, after which it is gone", async () => {
    const other = await peer.open(options);
    await peer.close(other, options);
    await expect(peer.listTools(other, options)).rejects.toMatchObject({
      code: "session_gone",
      reached: "yes",
    });
    await peer.close(other, options);
  });
});
