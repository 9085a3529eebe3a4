import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseServersFile } from "@/lib/servers/operator-file.ts";
import { syncOperatorServers } from "@/lib/servers/operator-sync.ts";
import { serverSchema } from "@/lib/servers/server-schema.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

let folder: string;
const mcp = forFile(startTestServer);
let web: TestWeb;
let acme: string;
let admin: string;
let globexAdmin: string;

/** The operator's file as the web read it at its start. */
const fileOf = (address: string) =>
  JSON.stringify({
    mcpServers: {
      remote: { url: address, headers: { "X-Key": "s3cret" }, organizations: ["acme"] },
      away: { url: "http://127.0.0.1:9/mcp", organizations: ["acme"] },
      private: { url: "http://10.1.2.3/mcp", organizations: ["acme"] },
    },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  const path = join(folder, "servers.json");
  await writeFile(path, fileOf(mcp.url));
  web = await startWeb({
    INTRAY_SERVERS_FILE: path,
    INTRAY_ALLOW_HOSTS: `${mcp.hostAndPort},127.0.0.1:9`,
  });
  acme = await web.organization("acme");
  admin = await web.key(acme, "admin");
  globexAdmin = await web.key(await web.organization("globex"), "admin");
  // A file that has more for globex, and an entry more, than the one that the web has read.
  const newer = JSON.parse(fileOf(mcp.url));
  newer.mcpServers.remote.organizations.push("globex");
  newer.mcpServers.later = { url: mcp.url, organizations: ["acme"] };
  await syncOperatorServers(web.db, parseServersFile(JSON.stringify(newer)));
});
afterAll(async () => {
  await web.stop();
  await rm(folder, { recursive: true });
});

async function serverNamed(name: string, key = admin) {
  const { body } = await web.call("GET", "/api/v1/servers", { key });
  return serverSchema.parse(body.items.find((server: { name: string }) => server.name === name));
}

test("an operator's server says so, and where it is", async () => {
  expect(await serverNamed("remote")).toMatchObject({ origin: "operator", kind: "http", url: mcp.url });
});

test("its check and its tools come from where the file says, with the file's headers", async () => {
  const { id } = await serverNamed("remote");
  const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { key: admin });
  expect([checked.status, checked.body.health.state]).toEqual([200, "ok"]);
  const tools = await web.call("GET", `/api/v1/servers/${id}/tools`, { key: admin });
  expect(tools.body.items.length).toBeGreaterThan(0);
  expect(mcp.seen.at(-1)).toMatchObject({ "x-key": "s3cret" });
  expect(JSON.stringify([checked.body, tools.body])).not.toContain("s3cret");
});

test.each([
  ["rename it", "PATCH", { name: "Ours" }],
  ["set its era", "PATCH", { era: "auto" }],
  ["set its credentials", "PATCH", { auth: { kind: "bearer", token: "t" } }],
  ["remove it", "DELETE", undefined],
] as const)("no admin can %s", async (_what, method, body) => {
  const before = await serverNamed("remote");
  const answer = await web.call(method, `/api/v1/servers/${before.id}`, { key: admin, body });
  expect([answer.status, answer.body.code]).toEqual([409, "defined_by_operator"]);
  expect(await serverNamed("remote")).toEqual(before);
  const foreign = await web.call(method, `/api/v1/servers/${before.id}`, { key: globexAdmin, body });
  expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
});

test("nobody makes a command server through the API", async () => {
  const body = { name: "Shell", url: "command:remote" };
  const answer = await web.call("POST", "/api/v1/servers", { key: admin, body });
  expect([answer.status, answer.body.code]).toEqual([422, "invalid_input"]);
});

test.each([
  ["an entry that the file does not have", "later", () => admin],
  ["an entry that the file gives to others only", "remote", () => globexAdmin],
])("the row of %s leads nowhere", async (_what, name, key) => {
  const { id } = await serverNamed(name, key());
  const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { key: key() });
  expect([checked.status, checked.body.health]).toMatchObject([
    200,
    { state: "unreachable", message: "The operator has removed this server's entry." },
  ]);
  const tools = await web.call("GET", `/api/v1/servers/${id}/tools`, { key: key() });
  expect([tools.status, tools.body.code]).toEqual([502, "server_unavailable"]);
});

test.each([
  ["is away", "away", "The server could not be reached, or is not allowed here."],
  [
    "has an address that is not allowed",
    "private",
    "The server could not be reached, or is not allowed here.",
  ],
])("a server that %s is unreachable, in our words", async (_what, name, message) => {
  const { id } = await serverNamed(name);
  const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { key: admin });
  expect(checked.body.health).toMatchObject({ state: "unreachable", message });
});
