/** Documents of servers that take too long; the limit is shortened here, and nothing else is. */
import { beforeAll, expect, test, vi } from "vitest";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { forFile } from "@/test/for-file.ts";
import { type Act, startHostileServer } from "@/test/servers/hostile-server.ts";
import { webForFile } from "@/test/web.ts";

vi.mock("@/lib/mcp/limits.ts", async (original) => ({
  ...(await original<object>()),
  DOCUMENT_MS: 700,
}));

const hostile = forFile(startHostileServer);
const web = webForFile(() => ({
  INTRAY_ALLOW_HOSTS: hostile.hostAndPort,
}));
let key: string;
let path: string;

beforeAll(async () => {
  const acme = await web.organization("acme");
  key = await web.key(acme, "viewer");
  const server = await insertServer(web.db, acme, { url: hostile.url });
  const taskId = await insertTask(web.db, acme, server, { arguments: { file: "erp://bill" } });
  const { id } = await insertRequest(web.db, acme, taskId);
  const { body } = await web.call("GET", `/api/v1/input-requests/${id}/documents`, { key });
  path = `/api/v1/input-requests/${id}/documents/${body.items[0].id}`;
});

test.each<[string, Act]>([
  ["never answers", () => true],
  [
    "answers without an end",
    ({ response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
      return true;
    },
  ],
])("a server that %s is given up in time, and its connection dropped", async (_what, act) => {
  hostile.act = act;
  const { status, body } = await web.call("GET", path, { key });
  expect([status, body.code, body.detail]).toEqual([
    502,
    "server_unavailable",
    "The server does not answer in time.",
  ]);
  await vi.waitUntil(() => hostile.open.now === 0, { timeout: 30_000 });
});

test("a reader who leaves ends the read, and the server's connection", async () => {
  let asked = () => {};
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  hostile.act = () => {
    asked();
    return true;
  };
  const leaving = new AbortController();
  const reading = web.call("GET", path, { key, signal: leaving.signal });
  await reached;
  leaving.abort();
  expect((await reading).body.detail).toBe("Nobody waits for this document any more.");
  await vi.waitUntil(() => hostile.open.now === 0, { timeout: 30_000 });
});
