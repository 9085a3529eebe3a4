import { beforeAll, expect, test } from "vitest";
import { pageSchema } from "@/lib/base/page.ts";
import {
  bulkItemSchema,
  bulkOperationSchema,
} from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { taskSchema } from "@/lib/tasks/task-schema.ts";
import { insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
let ola: { userId: string; cookie: string };
let oskar: { userId: string; cookie: string };

beforeAll(async () => {
  acme = await web.organization("acme");
  ola = await web.member(acme, "Ola", "operator");
  oskar = await web.member(acme, "Oskar", "operator");
  server = await insertServer(web.db, acme, { name: "=ERP" });
});

const call = (method: "GET" | "POST", path: string, who: { cookie: string }, body?: object) =>
  web.call(method, `/api/v1${path}`, { cookie: who.cookie, ...(body && { body }) });
const insert = (more: Parameters<typeof insertTask>[3]) => insertTask(web.db, acme, server, more);

test("a list is frozen as it is, without what the action can't be done to or its maker may not see", async () => {
  const running = [
    await insert({ tool: "freeze" }),
    await insert({ tool: "freeze", state: "input_required" }),
  ];
  const ended = await insert({ tool: "freeze", state: "completed" });
  const hidden = await insert({ tool: "freeze", visibility: "private", requester: oskar.userId });
  const made = await call("POST", "/bulk-operations", ola, { action: "cancel", filter: { tool: "freeze" } });
  expect([made.status, bulkOperationSchema.parse(made.body)]).toEqual([
    201,
    expect.objectContaining({ state: "prepared", items: 2, counts: expect.objectContaining({ waiting: 2 }) }),
  ]);
  // Later tasks are not part of the operation.
  await insert({ tool: "freeze" });
  const items = pageSchema(bulkItemSchema).parse(
    (await call("GET", `/bulk-operations/${made.body.id}/items`, ola)).body,
  ).items;
  expect(items.map((item) => item.taskId).sort()).toEqual([...running].sort());
  const again = await call("POST", "/bulk-operations", ola, {
    action: "restart",
    taskIds: [ended, ...running],
  });
  expect(again.body.items).toBe(1);
  for (const [body, status, code] of [
    [{ action: "cancel", taskIds: [running[0], hidden] }, 404, "not_found"],
    [{ action: "cancel", taskIds: [ended] }, 409, "nothing_suits"],
    [{ action: "cancel", filter: { tool: "freeze", state: "failed" } }, 409, "nothing_suits"],
    [{ action: "cancel" }, 422, "invalid_input"],
    [{ action: "cancel", taskIds: running, filter: {} }, 422, "invalid_input"],
  ] as const) {
    const refused = await call("POST", "/bulk-operations", ola, body);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
  }
});

test("it begins once, by its maker, with the right number; anyone who may act can stop it", async () => {
  const task = await insert({ tool: "begin" });
  const secret = await insert({ tool: "begin", visibility: "private", requester: ola.userId });
  const body = { action: "refresh", taskIds: [task, secret] };
  const { id } = (await call("POST", "/bulk-operations", ola, body)).body;
  const begin = (who: { cookie: string }, count: number) =>
    call("POST", `/bulk-operations/${id}/begin`, who, { count });
  const wrong = await begin(ola, 3);
  expect([wrong.status, wrong.body.code, wrong.body.errors[0].field]).toEqual([
    409,
    "count_differs",
    "count",
  ]);
  expect((await begin(oskar, 2)).status).toBe(403);
  const [one, other] = await Promise.all([begin(ola, 2), begin(ola, 2)]);
  expect([one?.status, one?.body.state, other?.status]).toEqual([202, "running", 202]);
  const lines = await web.db.withOrganization(acme, (tx) =>
    tx.event.count({ where: { type: "bulk.begun" } }),
  );
  expect(lines).toBe(1);
  // Other members see only the tasks that they may see anyway.
  const seen = (await call("GET", `/bulk-operations/${id}/items`, oskar)).body.items;
  expect(seen.map((item: { taskId: string }) => item.taskId)).toEqual([task]);
  expect((await call("POST", `/bulk-operations/${id}/stop`, oskar)).body).toMatchObject({
    state: "stopped",
    counts: { skipped: 2 },
  });
  expect((await begin(ola, 2)).body.code).toBe("operation_stopped");
});

test("a list is taken as a file, with the same filters, batch by batch, and no formula in it", async () => {
  const labels = ["one", "two", "three"];
  for (const at of labels) await insert({ tool: `export ${at}`, arguments: { at } });
  const file = async (query: string) => {
    const response = await web.open("GET", `/api/v1/tasks/export?q=export&${query}`, { cookie: ola.cookie });
    return { text: await response.text(), headers: response.headers };
  };
  const csv = await file("format=csv");
  expect(csv.headers.get("content-disposition")).toContain("acme-tasks.csv");
  const lines = csv.text.trim().split("\r\n");
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain("export three,'=ERP,working");
  const json = (await file("format=ndjson&tool=export%20two")).text.trim().split("\n");
  expect(json.map((line) => taskSchema.parse(JSON.parse(line)).tool)).toEqual(["export two"]);
  const { exportedTasks } = await import("@/lib/tasks/task-export.ts");
  const principal = {
    organizationId: acme,
    userId: null,
    role: "viewer" as const,
    actor: { kind: "key" as const, id: null, name: "Key" },
  };
  const pieces: string[] = [];
  const read = exportedTasks(
    principal,
    { format: "ndjson", q: "export" },
    (work) => web.db.withOrganization(acme, work),
    2,
  );
  for await (const piece of read) pieces.push(piece);
  expect(pieces.map((piece) => piece.trim().split("\n").length)).toEqual([2, 1]);
});

test("lists are ordered by start, end and time left, each page going on where the last one ended", async () => {
  const ids: string[] = [];
  for (let at = 0; at < 5; at++)
    ids.push(await insert({ tool: "order", state: at < 3 ? "failed" : "working" }));
  await web.db.withOrganization(acme, async (tx) => {
    for (const [at, id] of ids.entries()) {
      const when = new Date(Date.UTC(2030, 0, 10 - at));
      const data = at < 3 ? { finishedAt: when } : { expiresAt: when };
      await tx.task.updateMany({ where: { id }, data });
    }
  });
  const listed = async (query: string) => {
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body }: { body: { items: { id: string }[]; nextCursor: string | null } } = await call(
        "GET",
        `/tasks?tool=order&limit=2&${query}${cursor && `&cursor=${cursor}`}`,
        ola,
      );
      seen.push(...body.items.map((task) => task.id));
      cursor = body.nextCursor;
    }
    return seen;
  };
  expect(await listed("")).toEqual([...ids].reverse());
  expect(await listed("order=oldest")).toEqual(ids);
  expect(await listed("order=ended")).toEqual(ids.slice(0, 3));
  expect(await listed("order=expiring")).toEqual([ids[4], ids[3]]);
  expect(await listed("finishedAfter=2030-01-09T12:00:00Z")).toEqual([ids[0]]);
  const other = await call("GET", "/tasks?order=oldest&cursor=WyJuZXdlc3QiXQ", ola);
  expect(other.status).toBe(422);
});
