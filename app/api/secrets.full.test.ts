/**
 * Recognisable secrets pass through every path that secrets take, by an engine in both eras, with successes
 * and with every kind of failure, at servers that echo their input. No response, row or log contains them
 * afterwards.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLES } from "@/lib/access/roles.ts";
import type { Era } from "@/lib/mcp/peer.ts";
import { operatorServers } from "@/lib/servers/operator-file.ts";
import { syncOperatorServers } from "@/lib/servers/operator-sync.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { ECHOES, type EchoServer, startEchoServer } from "@/test/servers/echo-server.ts";
import { startTestServer, type TestServer } from "@/test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "@/test/servers/session-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

const TOKEN = 'canary-bearer-"quoted"/7f3a9c';
const COMMAND_KEY = "canary-command-key-51d2";
const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;

let web: TestWeb;
let modern: TestServer;
let session: SessionServer;
let echo: EchoServer;
let engine: ChildProcess;
let folder: string;
let acme: string;
let paths: Record<string, Record<string, { definition: { auth: string; summary: string } }>>;
/** The output on stdout and stderr of the web in this process and of the engine in its own. */
const logs: string[] = [];
const handles: string[] = [];
const keys: Record<string, string> = {};
let cookie: string;

beforeAll(async () => {
  listen();
  folder = await mkdtemp(join(tmpdir(), "intray-secrets-"));
  [modern, session, echo] = await Promise.all([startTestServer(), startSessionServer(), startEchoServer()]);
  const file = join(folder, "servers.json");
  const command = {
    command: process.execPath,
    args: [resolve("test/servers/stdio-server.ts")],
    env: { API_KEY: COMMAND_KEY },
    organizations: ["acme"],
    era: "2025-11-25",
  };
  await writeFile(file, JSON.stringify({ mcpServers: { ledger: command } }));
  const settings = {
    INTRAY_ALLOW_HOSTS: "127.0.0.1",
    INTRAY_SERVERS_FILE: file,
    LOG_LEVEL: "trace",
  };
  web = await startWeb(settings);
  paths = (await import("@/app/api/v1/openapi.json/paths.ts")).paths as unknown as typeof paths;
  acme = await web.organization("acme");
  for (const role of ROLES) keys[role] = await web.key(acme, role);
  ({ cookie } = await web.member(acme, "Ana", "owner"));
  await syncOperatorServers(web.db, operatorServers());
  const { PATH, HOME } = process.env;
  engine = spawn(process.execPath, [resolve("lib/engine/main.ts")], {
    env: {
      PATH,
      HOME,
      NODE_ENV: "test",
      ...web.engineEnvironment,
      ...settings,
    },
  });
  for (const stream of [engine.stdout, engine.stderr]) stream?.on("data", (data) => logs.push(String(data)));
});
afterAll(async () => {
  if (engine.exitCode === null && engine.signalCode === null) {
    const gone = once(engine, "exit");
    engine.kill("SIGKILL");
    await gone;
  }
  await web.stop();
  await Promise.all([modern.close(), session.close(), echo.close()]);
  await rm(folder, { recursive: true });
});

/** The web logs to file descriptor 1 of this process, past `process.stdout`. */
function listen(): void {
  for (const name of ["write", "writeSync"] as const) {
    const original = fs[name] as (...rest: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (fd: number, data: unknown, ...rest: unknown[]) => {
        if (fd === 1 || fd === 2) logs.push(String(data));
        return original(fd, data, ...rest);
      },
    });
  }
}

const TOOL = { title: null, description: null, annotations: null, inputSchema: { type: "object" } };

/** A server as an admin connects it, with a token. Its tools are known, whatever definitions it returns. */
async function connect(name: string, url: string, era: Era): Promise<string> {
  const auth = { kind: "bearer", token: TOKEN };
  const made = await web.call("POST", "/api/v1/servers", {
    key: keys.admin ?? "",
    body: { name, url, era, auth },
  });
  expect(made.status).toBe(201);
  const tools = ["approve", "order", "quick", "refuse", "wait"].map((tool) => ({
    ...TOOL,
    name: tool,
    taskSupport: "required",
    honoursIdempotencyKey: tool === "approve",
  }));
  await web.db.withOrganization(acme, (tx) =>
    tx.server.updateMany({
      where: { organizationId: acme, id: made.body.id },
      data: { tools, toolsCheckedAt: new Date(), era },
    }),
  );
  return made.body.id;
}

async function start(serverId: string, tool: string): Promise<string> {
  const body = { serverId, tool, arguments: {} };
  const started = await web.call("POST", "/api/v1/tasks", { key: keys.operator ?? "", body });
  expect([started.status, started.body]).toMatchObject([201, {}]);
  return started.body.id;
}

const read = async (path: string) => (await web.call("GET", path, { key: keys.owner ?? "" })).body;
const ended = (id: string, states = ["completed", "failed", "cancelled", "lost"]) =>
  until(`${id} ends`, async () => {
    const task = await read(`/api/v1/tasks/${id}`);
    return states.includes(task.state) && task;
  });

async function answer(taskId: string, content: object): Promise<void> {
  const request = await until(`a question of ${taskId}`, async () => {
    const { items } = await read(`/api/v1/input-requests?taskId=${taskId}&state=open`);
    return items[0] && read(`/api/v1/input-requests/${items[0].id}`);
  });
  const body = { action: "accept", content, questionHash: request.questionHash, comment: "fine" };
  const answered = await web.call("POST", `/api/v1/input-requests/${request.id}/answer`, { cookie, body });
  expect(answered.status).toBe(202);
}

/** What a handle, a session and an opaque state look like that these runs have seen, and how else each may be spelled. */
function secrets(): [string, string[]][] {
  const uuidOf = (text: string) => text.split(" ").at(-1) ?? text;
  const all: [string, string][] = [
    ["the bearer token", "7f3a9c"],
    ["the key of a command", COMMAND_KEY],
    ["the sealing key", KEYS.split(":")[1] ?? ""],
    ["the secret of sessions", process.env.AUTH_SECRET ?? ""],
    ["a database's address", "intray-test@"],
    ["a session's cookie", cookie.split("=")[1] ?? ""],
    ["a state to be echoed", "first ✓"],
    ...Object.entries(keys).map(([role, key]): [string, string] => [`the key of the ${role}`, key]),
    ...handles.map((id): [string, string] => ["a handle of 2026-07-28", uuidOf(id)]),
    ...session.tasks.map(({ taskId }): [string, string] => ["a handle of 2025-11-25", taskId]),
    ...[...new Set(session.seen.map((one) => one.session))]
      .filter((id) => id !== "")
      .map((id): [string, string] => ["a session of 2025-11-25", id]),
  ];
  return all.map(([what, secret]) => [what, spellingsOf(secret)]);
}

/** Plain, or encoded for URLs, base64 or JSON. */
function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [...new Set([secret, encodeURIComponent(secret), base64])];
}

test("tasks run in both eras, well and badly", async () => {
  const now = await connect("Modern", modern.url, "2026-07-28");
  modern.behave.onGet = (task) => {
    task.statusMessage = `${TOKEN} works on ${task.taskId}`;
    if (task.error)
      task.error = { code: -32000, message: `${TOKEN} ${task.taskId}`, data: { TOKEN, ...task } };
  };
  // Its answer would repeat the state; what a tool answers is for people to see.
  modern.behave.onOrder = "refuse";
  const approved = await start(now, "approve");
  await answer(approved, { approve: true });
  const ordered = await start(now, "order");
  await answer(ordered, { n: 3 });
  const refused = await start(now, "refuse");
  const waits = await start(now, "wait");
  await ended(approved);
  await ended(ordered);
  await ended(refused);
  await until("it works", async () => (await read(`/api/v1/tasks/${waits}`)).state === "working");
  await web.call("POST", `/api/v1/tasks/${waits}/cancel`, { key: keys.operator ?? "" });
  await ended(waits);
  const forgotten = await start(now, "wait");
  await until("it works", async () => (await read(`/api/v1/tasks/${forgotten}`)).state === "working");
  handles.push(...modern.tasks.keys());
  modern.tasks.clear();
  await ended(forgotten);

  const before = await connect("Session", session.url, "2025-11-25");
  session.behave.namesTask = true;
  session.behave.get = (task) => {
    task.statusMessage = `${TOKEN} works on ${task.taskId} in ${task.session}`;
  };
  const asked = await start(before, "approve");
  const task = await until("the server has it", async () => session.tasks.at(-1));
  await until("it asks", async () => session.ask(task, "Sure?"));
  session.behave.answer = (one) => {
    one.status = "completed";
  };
  await answer(asked, { approve: true });
  await ended(asked);
  const failing = await start(before, "approve");
  const other = await until("the server has it too", async () => session.tasks.find((one) => one !== task));
  session.behave.resultError = { code: -32000, message: `${TOKEN} ${other.taskId} ${other.session}` };
  other.status = "failed";
  await ended(failing);
  expect(handles.length).toBeGreaterThan(3);
  expect(modern.seen.some((headers) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
});

test("servers repeat what they were sent, in every kind of failure", async () => {
  for (const era of ["2026-07-28", "2025-11-25"] as const)
    for (const kind of ECHOES) {
      echo.echo = kind;
      const before = echo.seen.length;
      const id = await connect(`Echo ${era} ${kind}`, echo.url, era);
      await web.call("POST", `/api/v1/servers/${id}/check`, { key: keys.operator ?? "" });
      await web.call("GET", `/api/v1/servers/${id}/tools`, { key: keys.operator ?? "" });
      await start(id, "approve");
      await until("the engine has called", async () => echo.seen.length > before + 2);
    }
  expect(echo.seen.filter((one) => one === `Bearer ${TOKEN}`).length).toBeGreaterThan(3 * ECHOES.length);
});

test("a command repeats its key, in words and in results", async () => {
  const { items } = await read("/api/v1/servers?limit=200");
  const { id } = items.find(({ name }: { name: string }) => name === "ledger");
  await web.call("POST", `/api/v1/servers/${id}/check`, { key: keys.operator ?? "" });
  await web.db.withOrganization(acme, (tx) =>
    tx.server.updateMany({
      where: { organizationId: acme, id },
      data: {
        toolsCheckedAt: new Date(),
        era: "2025-11-25",
        tools: ["secret", "environment"].map((name) => ({
          ...TOOL,
          name,
          taskSupport: "forbidden",
          honoursIdempotencyKey: false,
        })),
      },
    }),
  );
  for (const tool of ["secret", "environment"])
    expect((await ended(await start(id, tool))).state).toBe("completed");
});

test("nobody finds one in any answer to any role", async () => {
  const known = await idsByPlace();
  const first = Object.fromEntries(
    Object.entries(known).map(([place, items]) => [
      place,
      [...new Map(items.toReversed().map((item) => [item.kind, item])).values()],
    ]),
  );
  const reads = Object.entries(paths).filter(
    ([path, { GET: handler }]) =>
      handler && handler.definition.summary !== "Not allowed" && !path.endsWith("/stream"),
  );
  const callsOf = (ids: typeof known) => reads.flatMap(([path]) => fill(path, ids));
  expect(callsOf(first).length).toBeGreaterThan(100);
  const { owner, ...others } = keys;
  const found: string[] = [];
  const sought = secrets();
  const read = async (who: { key?: string; cookie?: string }, calls: string[]) => {
    for (const path of calls) {
      const response = await web.open("GET", path, who);
      const text = `${await response.text()}\n${JSON.stringify([...response.headers])}`;
      found.push(...leaks(path, text, sought));
    }
  };
  // The owner sees the most. The others see a part of the same, so that one thing of each kind is enough.
  const rest = [...Object.values(others).map((key) => ({ key })), { cookie }, { key: "itk_canary-no-key" }];
  await Promise.all([
    read({ key: owner ?? "" }, callsOf(known)),
    ...rest.map((who) => read(who, callsOf(first))),
  ]);
  expect([...new Set(found)]).toEqual([]);
});

test("nor in a row of the database, where a session's and a key's hash is all that is kept", async () => {
  const found = await withClient(web.database.adminUrl, async (client) => {
    const { rows: tables } = await client.query(
      "SELECT schemaname || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    );
    const all: string[] = [];
    const sought = secrets();
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT row_to_json(t)::text AS text FROM ${name} t`);
      for (const { text } of rows) all.push(...leaks(name, text, sought));
    }
    return all;
  });
  expect([...new Set(found)]).toEqual([]);
});

test("nor in what the web and the engine log, at any level", async () => {
  // The text is there to be found: what is logged was heard.
  expect(logs.join("")).toContain("watching a connection");
  const sought = secrets();
  const found = logs
    .join("")
    .split("\n")
    .flatMap((line) => leaks(line.slice(0, 300), line, sought));
  expect([...new Set(found)]).toEqual([]);
});

/** Returns `place: secret` for each of these secrets that is in the text. */
function leaks(place: string, text: string, sought: ReturnType<typeof secrets>): string[] {
  return sought.flatMap(([what, spellings]) =>
    spellings.some((spelling) => text.includes(spelling)) ? [`${place}: ${what}`] : [],
  );
}

/** A thing that has an id. Of two things of one kind, answers say the same, but for names and times. */
interface Thing {
  id: string;
  kind: string;
}

async function idsByPlace(): Promise<Record<string, Thing[]>> {
  type Item = { id: string; state?: string; name?: string; server?: { name: string } };
  // The servers that repeat what they were sent are named by the era and by how they fail.
  const kindOf = ({ state, name, server }: Item) => [state, (server?.name ?? name)?.slice(0, 9)].join(" ");
  const all = async (path: string): Promise<Thing[]> =>
    (await read(path)).items.map((item: Item) => ({ id: item.id, kind: kindOf(item) }));
  return {
    tasks: await all("/api/v1/tasks?limit=200"),
    "input-requests": await all("/api/v1/input-requests?state=open,answered,settled,withdrawn&limit=200"),
    servers: await all("/api/v1/servers?limit=200"),
    members: await all("/api/v1/members?limit=200"),
    "api-keys": await all("/api/v1/api-keys?limit=200"),
  };
}

/** Returns the path once per known id; no path if the kind has no ids. */
function fill(path: string, things: Record<string, Thing[]>): string[] {
  const place = /\/([\w-]+)\/\{id\}/.exec(path)?.[1];
  if (place === undefined) return [path];
  return (things[place] ?? []).map(({ id }) => path.replace("{id}", id));
}
