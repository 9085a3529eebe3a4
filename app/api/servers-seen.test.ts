import { beforeAll, expect, test } from "vitest";
import { serverDetailSchema } from "@/lib/servers/server-schema.ts";
import type { Traits } from "@/lib/servers/traits.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type TestWeb, webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let viewer: string;
let operator: string;
let foreign: string;

beforeAll(async () => {
  acme = await web.organization("acme");
  viewer = await web.key(acme, "viewer");
  operator = await web.key(acme, "operator");
  foreign = await web.key(await web.organization("globex"), "owner");
});

const within = (work: Parameters<TestWeb["db"]["withOrganization"]>[1]) =>
  web.db.withOrganization(acme, work);
const learn = (id: string, traits: Traits) =>
  within((tx) => tx.server.updateMany({ where: { id }, data: { traits } }));
const read = async (id: string, key = viewer) => {
  const { body } = await web.call("GET", `/api/v1/servers/${id}`, { key });
  return serverDetailSchema.parse(body);
};
const tool = (honoursIdempotencyKey: boolean) => ({
  name: "pay",
  title: null,
  description: null,
  inputSchema: { type: "object" },
  taskSupport: "optional",
  annotations: null,
  honoursIdempotencyKey,
});

test("a server shows what it was seen to do; what was not seen is null, and how it was learned is nobody's matter", async () => {
  const server = await insertServer(web.db, acme);
  const unseen = {
    reissues: null,
    questionLifetimeMs: null,
    listsTasks: null,
    notifies: null,
    namesTask: null,
    sessionLimit: null,
    opensStream: null,
    refusesTasks: null,
    putsTasks: null,
    fetches: null,
  };
  expect((await read(server.id)).traits).toEqual(unseen);
  await learn(server.id, { reissues: false, questionLifetimeMs: 60_000, withdrawnAtMs: [60_100, 59_800] });
  expect((await read(server.id)).traits).toEqual({ ...unseen, reissues: false, questionLifetimeMs: 60_000 });
});

test.each([
  ["all", [tool(true), tool(true)], true],
  ["some", [tool(true), tool(false)], null],
  ["none", [tool(false)], false],
  ["no tool at all", [], null],
])("whether a repeated call is recognised is told of %s of its tools", async (_, tools, honours) => {
  const server = await insertServer(web.db, acme, { tools });
  expect((await read(server.id)).honoursIdempotencyKey).toBe(honours);
});

test("a command server's log is for operators", async () => {
  const server = await insertServer(web.db, acme, { url: "command:ledger" });
  expect((await read(server.id, operator)).log).toBeNull();
  const log = { logTail: "reading\nready", logTailAt: new Date("2026-11-21T09:00:00Z") };
  await within((tx) => tx.connection.updateMany({ where: { id: server.connectionId }, data: log }));
  expect(await read(server.id, operator)).toMatchObject({
    kind: "command",
    log: { tail: "reading\nready", at: "2026-11-21T09:00:00.000Z" },
  });
  expect((await read(server.id, viewer)).log).toBeNull();
  expect((await web.call("GET", `/api/v1/servers/${server.id}`, { key: foreign })).status).toBe(404);
});

test("a request tells how long its server waits, how far its task is, and whether that is durable", async () => {
  const server = await insertServer(web.db, acme);
  const task = await insertTask(web.db, acme, server);
  const { id } = await insertRequest(web.db, acme, task);
  const request = async () => (await web.call("GET", `/api/v1/input-requests/${id}`, { key: viewer })).body;
  expect(await request()).toMatchObject({
    server: { questionLifetimeMs: null },
    task: { durable: true, adopted: false, progress: null, expiresAt: null },
  });
  await learn(server.id, { questionLifetimeMs: 60_000 });
  const progress = { progress: 2, total: null, message: "Reading" };
  await within((tx) => tx.task.updateMany({ where: { id: task }, data: { progress, durable: false } }));
  expect(await request()).toMatchObject({
    server: { questionLifetimeMs: 60_000 },
    task: { durable: false, progress },
  });
  const shown = await web.call("GET", `/api/v1/tasks/${task}`, { key: viewer });
  expect(shown.body).toMatchObject({ durable: false, progress });
});
