import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNetwork } from "@/lib/base/network/network.ts";
import type { Services } from "@/lib/base/process/services.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { toolsOf } from "@/lib/servers/check.ts";
import { operatorServers } from "@/lib/servers/operator-file.ts";
import { syncOperatorServers } from "@/lib/servers/operator-sync.ts";
import { serverSchema } from "@/lib/servers/server-schema.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

const EVERYTHING = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);

let folder: string;
let web: TestWeb;
let acme: string;
let operator: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  const program = (code: string, ...args: string[]) => ({
    command: process.execPath,
    args: ["-e", `const { appendFileSync, existsSync } = require("fs"); ${code}`, ...args],
    organizations: ["acme"],
  });
  const servers = {
    everything: program(
      `appendFileSync("${folder}/pids", process.pid + "\\n"); import("${EVERYTHING}")`,
      "x",
      "stdio",
    ),
    broken: {
      ...program(`console.error("no ledger for", process.env.TOKEN); process.exitCode = 3`),
      env: { TOKEN: "s3cret-of-the-ledger" },
    },
    restarted: {
      ...program(`const first = !existsSync("${folder}/restarted");
        appendFileSync("${folder}/restarted", "x");
        console.error("═".repeat(60));
        if (first) {
          console.error("WARNING: the ledger is read-only");
          for (let at = 0; at < 3_000; at++) console.error("GET /healthz 200", at);
          console.error("ValueError: no ledger");
        }
        process.exitCode = 3`),
      era: "2025-11-25",
    },
    held: {
      ...program(
        `appendFileSync("${folder}/starts", "x"); setInterval(() => existsSync("${folder}/go") && process.exit(), 20)`,
      ),
      // Not found out, which starts a child for each era where the first one ends.
      era: "2025-11-25",
    },
    missing: { command: join(folder, "no-such-program"), organizations: ["acme"] },
  };
  const path = join(folder, "servers.json");
  await writeFile(path, JSON.stringify({ mcpServers: servers }));
  web = await startWeb({ INTRAY_SERVERS_FILE: path });
  acme = await web.organization("acme");
  operator = await web.key(acme, "operator");
  await syncOperatorServers(web.db, operatorServers());
});
afterAll(async () => {
  await web.stop();
  await rm(folder, { recursive: true });
});

async function serverNamed(name: string) {
  const { body } = await web.call("GET", "/api/v1/servers", { key: operator });
  return serverSchema.parse(body.items.find((server: { name: string }) => server.name === name));
}

const logOf = async (serverId: string) => {
  const connection = await web.db.withOrganization(acme, (tx) =>
    tx.connection.findFirstOrThrow({ where: { organizationId: acme, serverId } }),
  );
  return connection.logTail;
};

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
};

test("a command's check runs it, finds its era and tools, and leaves no process behind", async () => {
  const { id, ...server } = await serverNamed("everything");
  expect(server).toMatchObject({ kind: "command", origin: "operator", url: "command:everything" });
  const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { key: operator });
  expect(checked.body).toMatchObject({ health: { state: "ok", message: null }, era: "2025-11-25" });
  const tools = await web.call("GET", `/api/v1/servers/${id}/tools?limit=200`, { key: operator });
  const names = tools.body.items.map((tool: { name: string }) => tool.name);
  expect(names).toContain("simulate-research-query");
  const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split("\n").map(Number);
  expect(pids.length).toBe(1);
  expect(pids.filter(isAlive)).toEqual([]);
});

test("of a command that ends at once, what it said is kept, without its secrets", async () => {
  const { id } = await serverNamed("broken");
  const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { key: operator });
  expect(checked.body.health).toMatchObject({
    state: "unreachable",
    message: "The server could not be reached, or is not allowed here.",
  });
  expect(await logOf(id)).toMatch(/^no ledger for /m);
  expect(await logOf(id)).not.toContain("s3cret");
});

test("of a command that is started again, what the child before it warned of and ended with is kept beside its banner", async () => {
  const { id } = await serverNamed("restarted");
  const check = () => web.call("POST", `/api/v1/servers/${id}/check`, { key: operator });
  await check();
  const first = await logOf(id);
  expect(first).toContain("WARNING: the ledger is read-only");
  expect(first).toMatch(/GET \/healthz 200 2999\nValueError: no ledger$/);
  await check();
  const both = await logOf(id);
  expect(both).toMatch(/ValueError: no ledger\n── started \S+ ──\n═{60}$/);
  expect(both).toContain("WARNING: the ledger is read-only");
});

test("however many look at its tools at once, one child runs", async () => {
  const { id } = await serverNamed("held");
  let read = 0;
  const services: Services = {
    db: {
      ...web.db,
      async withOrganization(organizationId, work) {
        const result = await web.db.withOrganization(organizationId, work);
        read++;
        return result;
      },
    },
    network: createNetwork({ allowHosts: [], denyPorts: [] }),
    seal: createSeal([{ kid: "k", key: Buffer.alloc(32) }]),
  };
  const actor = { kind: "key" as const, id: null, name: "Test" };
  const looking = { organizationId: acme, userId: null, role: "viewer" as const, actor };
  const looks = Array.from({ length: 5 }, () => toolsOf(services, looking, id, false));
  const settled = Promise.allSettled(looks);
  // Each look reads the stored tools and the server's location, then calls the server.
  await until("all five ask", async () => read === 10 && existsSync(join(folder, "starts")));
  await writeFile(join(folder, "go"), "");
  expect((await settled).map((look) => look.status)).toEqual(Array(5).fill("rejected"));
  expect(await readFile(join(folder, "starts"), "utf8")).toBe("x");
  await services.network.close();
});

test("a command that is not there is unreachable, and the log says why", async () => {
  const { id } = await serverNamed("missing");
  const checked = await web.call("POST", `/api/v1/servers/${id}/check`, { key: operator });
  expect(checked.body.health.state).toBe("unreachable");
  expect(await logOf(id)).toContain("ENOENT");
});
