import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { pageSchema } from "@/lib/base/page.ts";
import { createSeal, type Seal } from "@/lib/base/seal.ts";
import { handleDigest } from "@/lib/lifecycle/found-tasks/handle.ts";
import { foundTaskSchema } from "@/lib/tasks/found-task-schema.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { startElsewhere } from "@/test/fixtures/third-party-client.ts";
import { forFile } from "@/test/for-file.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "@/test/servers/invoice-server.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let invoices: InvoiceServer;
const newest = forFile(startTestServer);
let dropInvoices: () => Promise<void>;
let seal: Seal;
let acme: string;
let server: { id: string; connectionId: string };
let keys: Record<"viewer" | "approver" | "operator" | "admin" | "foreign", string>;

beforeAll(async () => {
  const { createTestDatabase } = await import("@/test/setup/postgres.ts");
  const aside = await createTestDatabase();
  const database = await createInvoiceDatabase(aside.adminUrl);
  invoices = await startInvoiceServer(database.url);
  dropInvoices = async () => {
    await database.drop();
    await aside.drop();
  };
  const allowHosts = [invoices.hostAndPort, newest.hostAndPort];
  web = await startWeb({
    INTRAY_ALLOW_HOSTS: allowHosts.join(","),
  });
  seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]);
  acme = await web.organization("acme");
  const globex = await web.organization("globex");
  keys = {
    viewer: await web.key(acme, "viewer"),
    approver: await web.key(acme, "approver"),
    operator: await web.key(acme, "operator"),
    admin: await web.key(acme, "admin"),
    foreign: await web.key(globex, "owner"),
  };
  server = await addServer(invoices.url);
});
afterAll(async () => {
  await web.stop();
  await invoices.kill();
  await dropInvoices();
});

async function addServer(url: string): Promise<{ id: string; connectionId: string }> {
  const made = await insertServer(web.db, acme, { url });
  await within((tx) => tx.server.updateMany({ where: { id: made.id }, data: { era: "2025-11-25" } }));
  return made;
}

const within: <T>(work: Parameters<TestWeb["db"]["withOrganization"]>[1]) => Promise<T> = (work) =>
  web.db.withOrganization(acme, work) as never;

/** A found task, as written by a listing of the server or by an engine that gave up a start. */
async function insertFind(handle: string, taskId: string | null = null, at = server): Promise<string> {
  const id = uuidv7();
  const place = { organizationId: acme, table: "found_task", row: id, column: "sealed_handle" };
  await within((tx) =>
    tx.foundTask.create({
      data: {
        organizationId: acme,
        id,
        connectionId: at.connectionId,
        taskId,
        sealedHandle: seal.seal(place, handle),
        handleDigest: Uint8Array.from(handleDigest(seal, acme, handle)),
        status: "working",
      },
    }),
  );
  return id;
}

const refresh = (at = server, key = keys.operator) =>
  web.call("POST", `/api/v1/servers/${at.id}/found-tasks/refresh`, { key });
const list = (at = server) => web.call("GET", `/api/v1/servers/${at.id}/found-tasks`, { key: keys.operator });
const adopt = (foundId: string, body: object = {}, key = keys.admin) =>
  web.call("POST", `/api/v1/servers/${server.id}/found-tasks/${foundId}/adopt`, { key, body });
const settle = (taskId: string, foundTaskId: string | null, key = keys.operator) =>
  web.call("POST", `/api/v1/tasks/${taskId}/settle-start`, { key, body: { foundTaskId } });
const eventsOf = async (taskId: string): Promise<string[]> => {
  const { body } = await web.call("GET", `/api/v1/tasks/${taskId}/events`, { key: keys.viewer });
  return body.items.map((event: { type: string; actor: { name: string } }) => event.type);
};
const row = (taskId: string) => within((tx) => tx.task.findFirstOrThrow({ where: { id: taskId } }));

describe("a server's tasks that Intray does not know", () => {
  test("are found once, shown without their handles, and forgotten when they are gone", async () => {
    const handle = await startElsewhere(invoices.baseUrl, uuidv7());
    const gone = await insertFind("a task of which the server knows nothing");
    const first = await refresh();
    pageSchema(foundTaskSchema).parse(first.body);
    const again = await refresh();
    expect([first.status, again.status]).toEqual([200, 200]);
    const digest = handleDigest(seal, acme, handle);
    const finds: { id: string }[] = await within((tx) =>
      tx.foundTask.findMany({ where: { handleDigest: Uint8Array.from(digest) } }),
    );
    expect(finds).toHaveLength(1);
    const shown = again.body.items.find((item: { id: string }) => item.id === finds[0]?.id);
    expect(shown).toMatchObject({ taskId: null, serverCreatedAt: expect.any(String) });
    expect(JSON.stringify([first.body, (await list()).body])).not.toContain(handle);
    expect((await list()).body.items.map((item: { id: string }) => item.id)).not.toContain(gone);
    expect(
      (await web.call("GET", `/api/v1/servers/${server.id}`, { key: keys.viewer })).body.traits.listsTasks,
    ).toBe(true);
  });

  test("are looked for by operators, and by nobody of another organization", async () => {
    expect((await refresh(server, keys.approver)).status).toBe(403);
    expect((await refresh(server, keys.foreign)).status).toBe(404);
    const found = await insertFind("somebody's");
    expect((await adopt(found, {}, keys.operator)).status).toBe(403);
    expect((await adopt(found, {}, keys.foreign)).status).toBe(404);
    const other = await addServer(invoices.url);
    const elsewhere = await insertFind("of another connection", null, other);
    expect((await adopt(elsewhere)).status).toBe(404);
  });

  test("can't be looked for where the server does not list any, or is away", async () => {
    const v2 = await insertServer(web.db, acme, { url: newest.url });
    const answer = await refresh(v2);
    expect([answer.status, answer.body.code]).toEqual([409, "cannot_list"]);
    const seen = await web.call("GET", `/api/v1/servers/${v2.id}`, { key: keys.viewer });
    expect(seen.body.traits.listsTasks).toBe(false);
    const away = await refresh(await addServer(newest.url.replace("/mcp", "/nothing-here")));
    expect([away.status, away.body.code]).toEqual([502, "server_unavailable"]);
  });
});

describe("adopting one", () => {
  test("makes it a task of ours; of two at once one wins, and it is found no more", async () => {
    const handle = await startElsewhere(invoices.baseUrl, uuidv7());
    await refresh();
    const digest = Uint8Array.from(handleDigest(seal, acme, handle));
    const { id } = await within<{ id: string }>((tx) =>
      tx.foundTask.findFirstOrThrow({ where: { handleDigest: digest } }),
    );
    const answers = await Promise.all([adopt(id, { label: "Paper" }), adopt(id, { label: "Paper" })]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 404]);
    const task = taskDetailSchema.parse(answers.find((answer) => answer.status === 201)?.body);
    expect(task).toMatchObject({ tool: "unknown", arguments: {}, label: "Paper", adopted: true });
    expect(task).toMatchObject({ state: "working", era: "2025-11-25", durable: true });
    expect(await eventsOf(task.id)).toEqual(["task.adopted"]);

    const kept = await within<{ sealedHandle: string; watched: boolean; handleDigest: Uint8Array }>((tx) =>
      tx.task.findFirstOrThrow({ where: { id: task.id } }),
    );
    const place = { organizationId: acme, table: "task", row: task.id, column: "sealed_handle" };
    expect(seal.open(place, kept.sealedHandle)).toBe(handle);
    expect(Buffer.from(kept.handleDigest)).toEqual(Buffer.from(digest));
    expect(await within((tx) => tx.taskWatch.count({ where: { taskId: task.id } }))).toBe(1);
    await refresh();
    expect((await list()).body.items.map((item: { id: string }) => item.id)).not.toContain(id);
    expect(await within((tx) => tx.task.count({ where: { handleDigest: digest } }))).toBe(1);
  });

  test("is refused for one that is known by now, or may be what a start made", async () => {
    const known = await insertFind("known by now");
    const task = await insertTask(web.db, acme, server);
    const digest = Uint8Array.from(handleDigest(seal, acme, "known by now"));
    await within((tx) => tx.task.updateMany({ where: { id: task }, data: { handleDigest: digest } }));
    const first = await adopt(known);
    expect([first.status, first.body.code]).toEqual([409, "task_known"]);

    const twin = await insertTask(web.db, acme, await addServer(invoices.url));
    const itsDigest = Uint8Array.from(handleDigest(seal, acme, "known by another name of the server"));
    await within((tx) => tx.task.updateMany({ where: { id: twin }, data: { handleDigest: itsDigest } }));
    const other = await adopt(await insertFind("known by another name of the server"));
    expect([other.status, other.body.code]).toEqual([409, "task_known"]);

    const start = await insertTask(web.db, acme, server, { state: "start_unknown" });
    const candidate = await insertFind("a candidate", start);
    const second = await adopt(candidate);
    expect([second.status, second.body.code, second.body.taskId]).toEqual([409, "start_not_settled", start]);
    await refresh();
    expect(await within((tx) => tx.foundTask.count({ where: { id: candidate } }))).toBe(1);

    const starting = await insertTask(web.db, acme, server, { state: "queued" });
    await within((tx) =>
      tx.task.updateMany({ where: { id: starting }, data: { state: "starting", attemptId: uuidv7() } }),
    );
    const third = await adopt(await insertFind("perhaps its task"));
    expect([third.status, third.body.code]).toEqual([409, "start_under_way"]);
    expect((await settle(start, candidate)).body.code).toBe("start_under_way");
    await within((tx) =>
      tx.task.updateMany({
        where: { id: starting },
        data: { state: "failed", watched: false, finishedAt: new Date() },
      }),
    );
    expect((await settle(start, candidate)).status).toBe(200);
  });
});

describe("a start of unknown outcome", () => {
  const unknownStart = () => insertTask(web.db, acme, server, { state: "start_unknown" });
  const candidatesOf = async (taskId: string, key = keys.operator) =>
    (await web.call("GET", `/api/v1/tasks/${taskId}`, { key })).body.candidates;

  test("goes on as the candidate that a person names; the others are nobody's", async () => {
    const task = await unknownStart();
    const it = await insertFind("what it made", task);
    const other = await insertFind("what another client made", task);
    expect((await candidatesOf(task)).map((one: { id: string }) => one.id).sort()).toEqual(
      [it, other].sort(),
    );
    expect(await candidatesOf(task, keys.viewer)).toEqual([]);
    expect((await settle(task, it, keys.approver)).status).toBe(403);
    expect((await settle(task, uuidv7())).status).toBe(404);
    const foreign = await insertFind("of another start", await unknownStart());
    expect((await settle(task, foreign)).status).toBe(404);

    const answers = await Promise.all([settle(task, it), settle(task, null)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    const second = await settle(task, it);
    expect([second.status, second.body.code]).toEqual([409, "not_start_unknown"]);
  });

  test("takes over the handle", async () => {
    const task = await unknownStart();
    const it = await insertFind("the very task", task);
    const other = await insertFind("not this one", task);
    const settled = await settle(task, it);
    expect(settled.body).toMatchObject({ state: "working", adopted: true, candidates: [], error: null });
    const kept = (await row(task)) as { sealedHandle: string; watched: boolean };
    const place = { organizationId: acme, table: "task", row: task, column: "sealed_handle" };
    expect([seal.open(place, kept.sealedHandle), kept.watched]).toEqual(["the very task", true]);
    expect(await eventsOf(task)).toEqual(["task.start_settled", "task.adopted"]);
    const left = await within((tx) => tx.foundTask.findMany({ where: { id: { in: [it, other] } } }));
    expect(left).toMatchObject([{ id: other, taskId: null }]);
  });

  test("that never was has failed, and asks nothing any more", async () => {
    const task = await unknownStart();
    const candidate = await insertFind("somebody else's", task);
    const { id } = await insertRequest(web.db, acme, task);
    const settled = await settle(task, null);
    expect([settled.status, settled.body.state, settled.body.error.code]).toEqual([
      200,
      "failed",
      "not_started",
    ]);
    const request = await web.call("GET", `/api/v1/input-requests/${id}`, { key: keys.viewer });
    expect(request.body).toMatchObject({ state: "withdrawn", endedReason: "not_started" });
    expect(await eventsOf(task)).toEqual(["task.start_settled", "task.failed", "request.withdrawn"]);
    expect(await within((tx) => tx.foundTask.findFirst({ where: { id: candidate } }))).toMatchObject({
      taskId: null,
    });
  });
});
