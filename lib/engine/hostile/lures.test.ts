/** Servers that want our credentials at another address, a visit to a URL, or to be remembered: none of that happens. */
import { afterAll, describe, expect, test } from "vitest";
import { createHostileFixture, PATIENCE_MS } from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { forFile } from "../../../test/for-file.ts";
import { type Act, startHostileServer } from "../../../test/servers/hostile-server.ts";
import { createNetwork } from "../../base/network/network.ts";
import { createPeer, openWire } from "../../mcp/connect.ts";

const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
const SECRET = "Bearer of-this-server-alone";
const trap = forFile(startHostileServer);
const fixture = forFile(createHostileFixture);
/** Records requests that a hostile server lured here. */
afterAll(async () => {
  await network.close();
});

const peers = [
  ["2025-11-25", { id: "s", protocolVersion: "2025-11-25", lastEventId: null }],
  ["2026-07-28", null],
] as const;

describe.each(peers)("the credentials of a server of %s", (era, session) => {
  test.each([301, 302, 303, 307, 308])("are not carried to where HTTP %i leads", async (status) => {
    const server = await startHostileServer(({ response }) => {
      response.writeHead(status, { location: trap.url, "set-cookie": "id=1" }).end();
      return true;
    });
    const wire = openWire({ url: server.url, headers: { authorization: SECRET } }, network);
    const peer = createPeer(era, wire);
    const options = { deadlineMs: 5_000 };
    const task = { taskId: "t", session };
    await expect(peer.get(task, options)).rejects.toMatchObject({ code: "bad_reply", httpStatus: status });
    await expect(peer.cancel(task, options)).rejects.toMatchObject({ httpStatus: status });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([SECRET, SECRET]);
    // The server's cookies are not sent back.
    expect(server.seen.some(({ headers }) => "cookie" in headers)).toBe(false);
    expect(trap.seen).toEqual([]);
    await server.close();
  });
});

test("URL mode: the URL, its icon and its metadata are not fetched, neither when asked nor when decided", async (context) => {
  const act: Act = ({ message, reply, result }) => {
    if (message.method !== "tasks/get") return false;
    const params = {
      mode: "url",
      message: `Sign in at ${trap.url}`,
      url: trap.url,
      icons: [{ src: trap.url }],
    };
    reply({
      ...result,
      status: "input_required",
      inputRequests: { visit: { method: "elicitation/create", params } },
    });
    return true;
  };
  const task = await fixture.task(context, "2026-07-28", act);
  const request = await fixture.queries.openRequest(task.id);
  expect(request).toMatchObject({ mode: "url", url: trap.url });
  await fixture.organization.answer(request.id, { action: "decline" });
  const sent = async () => task.server.seen.find(({ method }) => method === "tasks/update");
  const { message } = await until("the decline was sent", sent, PATIENCE_MS);
  expect(message.params.inputResponses).toEqual({ visit: { action: "decline" } });
  expect(trap.seen).toEqual([]);
  await task.ends();
});

test("a 401 that names metadata at another address: the engine asks nothing there", async (context) => {
  const act: Act = ({ message, response }) => {
    if (message.method !== "tasks/get") return false;
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${trap.url}"` }).end();
    return true;
  };
  const task = await fixture.task(context, "2025-11-25", act);
  const isKnown = async () => (await task.row()).healthState === "unauthorized";
  await until("the refusal is known", isKnown, PATIENCE_MS);
  await fixture.secondTenantWorks();
  expect(trap.seen).toEqual([]);
});

test("a compressed bomb where replies are decompressed: no more than the cap of it is taken", async () => {
  const { gzipSync } = await import("node:zlib");
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
  for (const [encoding, body] of [
    ["gzip", bomb],
    ["gzip, gzip", gzipSync(bomb)],
  ] as const) {
    const server = await startHostileServer(({ response }) => {
      response.writeHead(200, { "content-encoding": encoding }).end(body);
      return true;
    });
    const before = process.memoryUsage().rss;
    const reply = await network.fetch(server.url);
    await expect(reply.text()).rejects.toThrow("larger than");
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    await server.close();
  }
});
