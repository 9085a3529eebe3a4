/** An address of this machine that the installation's operator allows by a press, under `npm start` alone. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseEnvironment } from "@/lib/base/env.ts";
import { allowedHostsFile, createTenantNetwork } from "@/lib/base/network/allowed-hosts.ts";
import { replace } from "@/lib/base/process/process-wide.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { webForFile } from "@/test/web.ts";

const remote = forFile(startTestServer);
const web = webForFile(() => ({ INTRAY_ALLOW_HOSTS_FILE: file, INTRAY_DENY_PORTS: "8080" }));
const folder = mkdtempSync(join(tmpdir(), "allowed-hosts-"));
const file = join(folder, "allowed-hosts");
let acme: string;
let olga: { cookie: string; userId: string };

beforeAll(async () => {
  acme = await web.organization("acme");
  await web.database.sql("UPDATE organization SET set_up = true WHERE id = $1", [acme]);
  olga = await web.member(acme, "Olga", "owner");
});
beforeEach(() => writeFileSync(file, ""));
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

type Who = { cookie?: string; key?: string };
const allow = (url: string, who: Who = olga) =>
  web.call("POST", "/api/v1/allowed-hosts", { ...who, body: { url } });
const remove = (host: string, who: Who = olga) =>
  web.call("DELETE", `/api/v1/allowed-hosts?host=${encodeURIComponent(host)}`, who);
const list = async (who: Who = olga) => (await web.call("GET", "/api/v1/allowed-hosts", who)).body;
const connect = (url: string) =>
  web.call("POST", "/api/v1/servers", { cookie: olga.cookie, body: { name: "Mine", url } });
const lines = async () => {
  const { body } = await web.call("GET", "/api/v1/events?type=host", olga);
  return body.items.map(({ type, data }: { type: string; data: { host: string } }) => `${type} ${data.host}`);
};

test("a server of this machine is refused, then allowed by a press, and connected without a restart", async () => {
  expect((await connect(remote.url)).body.code).toBe("address_not_allowed");
  expect(await list()).toEqual({ possible: true, hosts: [] });
  expect((await allow(remote.url)).body).toEqual({ possible: true, hosts: [remote.hostAndPort] });
  const { status, body } = await connect(remote.url);
  expect([status, body.health.state]).toEqual([201, "ok"]);
  // A second press is no second line.
  await allow(remote.url);
  expect((await remove(remote.hostAndPort)).body).toEqual({ possible: true, hosts: [] });
  expect((await connect(remote.url)).body.code).toBe("address_not_allowed");
  expect(await lines()).toEqual([`host.removed ${remote.hostAndPort}`, `host.allowed ${remote.hostAndPort}`]);
});

test("only the host and port of the address that was tried are allowed", async () => {
  await allow("http://localhost:3055/mcp?x=1");
  expect(readFileSync(file, "utf8")).toBe("localhost:3055\n");
});

test.each([
  ["Intray's own web app", "http://localhost:3000/mcp"],
  ["a port of its other parts", "http://localhost:8080/mcp"],
  ["a public address", "https://mcp.example.com/mcp"],
  ["the metadata service", "http://169.254.169.254/latest"],
  ["what a shell would run", "http://a;b.local/mcp"],
])("%s is not allowed by a press", async (_, url) => {
  const { status, body } = await allow(url);
  expect([status, body.code]).toEqual([422, "address_not_allowed"]);
  expect(await list()).toEqual({ possible: true, hosts: [] });
});

test("a line of the file that is no host with its port allows nothing", async () => {
  writeFileSync(file, "0.0.0.0/0\n127.0.0.1\n*\n");
  expect(await list()).toEqual({ possible: true, hosts: [] });
  expect((await connect(remote.url)).body.code).toBe("address_not_allowed");
});

describe("nobody else allows an address", () => {
  const refused = async (who: Who, status: number, code: string) => {
    for (const answer of [await allow(remote.url, who), await remove(remote.hostAndPort, who)])
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(readFileSync(file, "utf8")).toBe("");
  };

  test("not an admin of the same organization", async () => {
    await refused(await web.member(acme, "Ada", "admin"), 403, "forbidden");
  });

  test("not a key of an owner's role", async () => {
    await refused({ key: await web.key(acme, "owner") }, 403, "forbidden");
  });

  test("not an owner of another organization", async () => {
    const gus = await web.member(await web.organization("globex"), "Gus", "owner");
    await refused(gus, 409, "defined_by_operator");
    expect(await list(gus)).toEqual({ possible: false, hosts: [] });
  });
});

test.each([
  ["listens beyond this machine", { HOST: "0.0.0.0" }],
  ["is known beyond this machine", { INTRAY_URL: "https://intray.example" }],
  ["was not started by npm start", { INTRAY_ALLOW_HOSTS_FILE: "" }],
])("an Intray that %s offers it to nobody, and reads no file", async (_, settings) => {
  writeFileSync(file, `${remote.hostAndPort}\n`);
  const before = replace("environment", parseEnvironment({ ...process.env, ...settings }));
  try {
    expect(allowedHostsFile()).toBeNull();
    const network = createTenantNetwork();
    expect(() => network.checkUrl(remote.url)).toThrow("not a public address");
    await network.close();
  } finally {
    replace("environment", before);
  }
});
