/** Servers of the versions before tasks, on the official SDKs of their time: their tools are called, and their questions heard. */
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { call, endAll, notes, open, options } from "../../test/commands.ts";
import { until } from "../../test/fixtures/organization-fixture.ts";
import {
  OLD_VERSIONS,
  type OldVersion,
  oldEverything,
  startOldServer,
} from "../../test/old-servers/start.ts";
import { createNetwork } from "../base/network/network.ts";
import { createPeer, openWire } from "./connect.ts";
import { discover } from "./discover.ts";

afterEach(endAll);
// The package comes from the registry the first time.
beforeAll(() => void oldEverything(), 300_000);

const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });

async function connect(version: OldVersion) {
  const server = await startOldServer(version);
  onTestFinished(() => server.kill());
  const wire = openWire({ url: server.url, headers: {} }, network);
  onTestFinished(() => wire.end());
  return { server, wire, peer: createPeer("2025-11-25", wire) };
}

const start = (tool: string) => ({
  tool,
  arguments: {},
  taskSupport: "forbidden" as const,
  ttlMs: null,
  idempotencyKey: "k",
});

describe.each(OLD_VERSIONS)("a server of %s", (version) => {
  test("is found out, lists its tools, and answers calls, many at once and on two sessions", async () => {
    const { wire, peer } = await connect(version);
    expect(await discover(wire, "auto", options)).toMatchObject({
      era: "2025-11-25",
      serverInfo: { name: "old", version },
    });
    const [one, two] = [await peer.open(options), await peer.open(options)];
    expect(one?.protocolVersion).toBe(version);
    expect(one?.id).not.toBe(two?.id);
    const tools = await peer.listTools(one, options);
    expect(tools.map(({ name, taskSupport }) => [name, taskSupport])).toEqual(
      ["add", "slow", "calls", "ask"].map((name) => [name, "forbidden"]),
    );
    const sums = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        peer.start(
          n % 2 ? one : two,
          { ...start("add"), arguments: { a: n, b: n } },
          notes().listener,
          options,
        ),
      ),
    );
    expect(sums).toMatchObject(
      sums.map((_, n) => ({ kind: "result", result: { content: [{ text: String(2 * n) }] } })),
    );
    await peer.close(one, options);
    expect(await call(peer, two, "calls")).toBe(20);
  });

  test("is gone in the middle of a call, which may have reached it; a new session is another one", async () => {
    const { server, peer } = await connect(version);
    const session = await peer.open(options);
    const under = peer.start(session, start("slow"), notes().listener, options).catch((error) => error);
    await until("the call is there", async () => (await call(peer, session, "calls")) === 1);
    await server.kill();
    expect(await under).toMatchObject({ code: "unreachable", reached: "maybe" });
    await expect(peer.listTools(session, options)).rejects.toMatchObject({ name: "PeerError" });
    const again = await startOldServer(version, server.port);
    onTestFinished(() => again.kill());
    await expect(peer.listTools(session, options)).rejects.toMatchObject({ code: "session_gone" });
    const next = await until("a session is given", () => peer.open(options).catch(() => null));
    expect(await call(peer, next, "calls")).toBe(0);
  });
});

test("a server of 2025-06-18 asks on the open call, and gets the answer", async () => {
  const { peer } = await connect("2025-06-18");
  const session = await peer.open(options);
  const heard = notes();
  // The SDK of then asks on the session's own stream, not on the call's.
  const stream = await peer.listen(session, heard.listener, options);
  onTestFinished(() => stream?.close());
  const outcome = peer.start(session, start("ask"), notes().listener, options);
  const { question } = await until("it asks", async () => heard.questions[0]);
  await peer.answer(
    { taskId: "", session },
    question.address,
    { action: "accept", content: { approve: true } },
    options,
  );
  const said = JSON.stringify({ action: "accept", content: { approve: true } });
  expect(await outcome).toMatchObject({ kind: "result", result: { content: [{ text: said }] } });
});

test("a command of 2024-11-05 answers", async () => {
  const { wire, v1 } = open([oldEverything()]);
  expect(await discover(wire, "auto", options)).toMatchObject({ era: "2025-11-25" });
  const session = await v1.open(options);
  expect(session?.protocolVersion).toBe("2024-11-05");
  const added = { ...start("add"), arguments: { a: 2, b: 3 } };
  expect(await v1.start(session, added, notes().listener, options)).toMatchObject({
    kind: "result",
    result: { content: [{ text: expect.stringContaining("5") }] },
  });
});
