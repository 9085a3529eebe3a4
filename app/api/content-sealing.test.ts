/** The switch by API, and what the API says of content that is sealed. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { countByKey, reseal } from "@/lib/base/key-rotation/reseal.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { appendEvents } from "@/lib/history/events/event-writes.ts";
import { takeEvents } from "@/lib/history/events/follow.ts";
import { formSchema } from "@/lib/mcp/forms/form.ts";
import { convertContent } from "@/lib/people/content-sealing/convert.ts";
import { countHistory } from "@/lib/requests/statistics/statistics-writes.ts";
import { dumpOf, placesOf } from "@/test/dump.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "@/test/guards/busiest-turn.ts";
import { webForFile } from "@/test/web.ts";

const MARK = "ZITRONENFALTER";
const PATH = "/api/v1/organization/content-sealing";
const web = webForFile();
let engine: Database;
let acme: string;
let olga: { cookie: string; userId: string };
let made = 0;

beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 2 });
});
afterAll(async () => {
  await engine?.close();
});
beforeEach(async () => {
  acme = await web.organization(`sealed-${++made}`);
  olga = await web.member(acme, "Olga", "owner");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const put = (sealed: boolean, who: { cookie?: string; key?: string } = olga) =>
  web.call("PUT", PATH, { ...who, body: { sealed } });
const get = (path: string) => web.call("GET", path, { cookie: olga.cookie });
const convertAll = async () => {
  do {
    await sql("UPDATE content_sealing SET look_at = now() - interval '1 second'");
    while (await convertContent(acme, engine));
  } while ((await get(PATH)).body.progress !== null);
};
const populate = async (mark = MARK) => {
  const server = await insertServer(web.db, acme, { name: "Finance" });
  const task = await insertTask(web.db, acme, server, { arguments: { note: mark, total: 1000 } });
  const request = await insertRequest(web.db, acme, task, { message: `Pay ${mark}, $1,000.00?` });
  return { server, task, request };
};

test("owners turn the switch, admins see it, and the history says who did", async () => {
  const admin = await web.key(acme, "admin");
  expect((await get(PATH)).body).toEqual({
    sealed: false,
    changed: null,
    progress: null,
    unopened: 0,
    opens: true,
  });
  expect((await put(true, { key: admin })).status).toBe(403);
  const on = await put(true);
  expect(on.status).toBe(200);
  expect(on.body).toMatchObject({ sealed: true, opens: true, changed: { by: { name: "Olga" } } });
  expect((await put(true)).body.changed).toEqual(on.body.changed);
  expect((await web.call("GET", PATH, { key: admin })).body.sealed).toBe(true);
  expect((await put(false)).body.sealed).toBe(false);
  const types = await sql(
    "SELECT type FROM event WHERE organization_id = $1 AND type LIKE '%content%' ORDER BY seq",
    [acme],
  );
  expect(types.map(({ type }) => type)).toEqual([
    "organization.content_sealed",
    "organization.content_opened",
  ]);
  await convertAll();
});

test("an engine that could not open sealed content refuses the switch", async () => {
  await sql("INSERT INTO engine (id) VALUES (gen_random_uuid())");
  expect((await put(true)).body).toMatchObject({ status: 409, code: "engine_outdated" });
  await sql("UPDATE engine SET opens_content = true");
  expect((await put(true)).status).toBe(200);
});

test("a search says what it does not find, and amounts are refused instead of sorted wrongly", async () => {
  await populate();
  const found = (q: string) => get(`/api/v1/input-requests?q=${q}`);
  expect((await found(MARK)).body).toMatchObject({ items: [{}] });
  await put(true);
  await convertAll();
  expect((await found(MARK)).body).toEqual({ items: [], nextCursor: null, contentNotSearched: true });
  expect((await found("process_invoice")).body).toMatchObject({
    items: [{ message: `Pay ${MARK}, $1,000.00?`, amount: { value: 1000, currency: "$" } }],
    contentNotSearched: true,
  });
  expect((await get(`/api/v1/tasks?q=${MARK}`)).body).toEqual({
    items: [],
    nextCursor: null,
    contentNotSearched: true,
  });
  // The stored form is no text either.
  for (const q of ["sealed", "arguments"]) expect((await get(`/api/v1/tasks?q=${q}`)).body.items).toEqual([]);
  expect((await get("/api/v1/input-requests")).body).not.toHaveProperty("contentNotSearched");
  for (const query of ["order=amount", "amountMin=5", "amountMax=5"])
    expect((await get(`/api/v1/input-requests?${query}`)).body).toMatchObject({
      status: 422,
      code: "content_sealed",
    });
  await put(false);
  await convertAll();
  expect((await found(MARK)).body).toMatchObject({ items: [{ amount: { value: 1000 } }] });
  expect((await get("/api/v1/input-requests?amountMin=999")).body.items).toHaveLength(1);
});

test("one value that can't be opened leaves the lists of the others", async () => {
  const { server, task, request } = await populate();
  const other = await insertTask(web.db, acme, server);
  await put(true);
  await convertAll();
  await sql("UPDATE task SET label = (SELECT label FROM task WHERE id = $1) WHERE id = $2", [other, task]);
  await sql("UPDATE input_request SET message = left(message, -4) || 'AAAA' WHERE id = $1", [request.id]);
  const tasks = (await get("/api/v1/tasks")).body.items as { id: string; label: string }[];
  expect(tasks.map(({ id, label }) => [id, label])).toEqual([
    [other, "INV-100"],
    [task, "(can’t be opened)"],
  ]);
  expect((await get("/api/v1/input-requests")).body.items).toMatchObject([{ message: "(can’t be opened)" }]);
  // Nor does it keep the page from what opens.
  expect((await get(`/api/v1/tasks/${task}`)).body).toMatchObject({
    label: "(can’t be opened)",
    arguments: { note: MARK },
  });
});

test("texts that only look sealed stop no queue, no list and no page, whatever key they name", async () => {
  const { server, task, request } = await populate();
  await put(true);
  const [{ kid }] = await sql("SELECT kid FROM organization_key WHERE organization_id = $1", [acme]);
  await put(false);
  await convertAll();
  // Written after the switch-off, when texts are stored as they come.
  const answer = await web.call("POST", `/api/v1/input-requests/${request.id}/answer`, {
    cookie: olga.cookie,
    body: {
      action: "accept",
      content: {},
      questionHash: (await get(`/api/v1/input-requests/${request.id}`)).body.questionHash,
    },
  });
  expect(answer.status).toBe(202);
  const [{ id: answerId }] = await sql("SELECT id FROM answer WHERE input_request_id = $1", [request.id]);
  let at = 0;
  for (const id of [kid as string, randomUUID()]) {
    // By the row's own id, and by an id that stands in the row beside it.
    const lure = (column: string, row: string, kind = "t") => `sealed/${column}/${kind}/${row}/v1.${id}.AAAA`;
    await sql("UPDATE task SET tool = $1, label = $2, status_message = $3 WHERE id = $4", [
      lure("task.label", task),
      lure("task.label", task),
      lure("task.status_message", server.id),
      task,
    ]);
    await sql("UPDATE task SET arguments = $1, result = $2 WHERE id = $3", [
      { sealed: lure("task.arguments", task, "j") },
      { content: [], sealed: lure("task.result", task, "j") },
      task,
    ]);
    await sql("UPDATE input_request SET message = $1, ended_reason = $2 WHERE id = $3", [
      lure("input_request.message", request.id),
      lure("input_request.message", request.id),
      request.id,
    ]);
    await sql("UPDATE answer SET comment = $1 WHERE id = $2", [lure("answer.comment", answerId), answerId]);
    await sql("UPDATE delivery SET error = $1 WHERE answer_id = $2", [
      lure("answer.comment", answerId),
      answerId,
    ]);
    await sql("UPDATE server SET pause_reason = $1, paused_at = now(), paused_by = $2 WHERE id = $3", [
      lure("task.label", task),
      { kind: "member", id: olga.userId, name: "Olga" },
      server.id,
    ]);
    await sql(
      "INSERT INTO saved_view (organization_id, id, user_id, page, name, query) VALUES ($1, $2, $3, 'tasks', $4, $5)",
      [acme, randomUUID(), olga.userId, `look ${at}`, { label: lure("task.label", task), taskId: task }],
    );
    const line = { actor: { kind: "member" as const, id: olga.userId, name: "Olga" }, taskId: task };
    const told = { reason: lure("event.data", task, "j"), sealed: lure("event.data", task, "j") };
    await web.db.withOrganization(acme, (tx) =>
      appendEvents(tx, [
        { type: "task.cancel_requested", ...line, data: { to: "working", ...told, deeper: { data: told } } },
        { type: "answer.recorded", ...line, inputRequestId: request.id, data: { comment: told.reason } },
      ]),
    );
    const failing: string[] = [];
    for (const path of [
      "/tasks",
      `/tasks/${task}`,
      `/tasks/${task}/events`,
      `/tasks/${task}/messages`,
      "/input-requests",
      `/input-requests/${request.id}`,
      `/input-requests/${request.id}/similar`,
      `/input-requests/${request.id}/documents`,
      "/events",
      "/views?page=tasks",
      "/servers",
      `/servers/${server.id}`,
      "/notices",
    ])
      if ((await get(`/api/v1${path}`)).status !== 200) failing.push(path);
    expect([id === kid ? "known" : "made up", failing]).toEqual([id === kid ? "known" : "made up", []]);
    const shown = (await get(`/api/v1/tasks/${task}`)).body;
    expect(shown.tool).toBe(lure("task.label", task));
    expect(shown.label).toBe(id === kid ? "(can’t be opened)" : lure("task.label", task));
    // The followers of the history go on.
    const lines = await engine.withOrganization(acme, (tx) =>
      takeEvents(tx, { follower: "statistics", begins: "first" }, 1_000),
    );
    expect(lines.filter(({ taskId }) => taskId === task).length).toBeGreaterThanOrEqual(at === 0 ? 3 : 2);
    expect(await engine.withOrganization(acme, (tx) => countHistory(tx, 1_000))).toBe(false);
    expect(
      (await (await web.open("GET", "/api/v1/events/export", { cookie: olga.cookie })).text()).length,
    ).toBeGreaterThan(0);
    at++;
  }
  // All of it is somebody's text, and sealed as such from the next switch on, but for what names its own row.
  await put(true);
  await convertAll();
});

test("requests with equal forms are answered together, sealed as plain", async () => {
  const server = await insertServer(web.db, acme);
  await put(true);
  const ids: { id: string; questionHash: string }[] = [];
  for (const note of ["one", "two"]) {
    const task = await insertTask(web.db, acme, server, { arguments: { note } });
    ids.push(await insertRequest(web.db, acme, task, { message: `${note}?` }));
  }
  await convertAll();
  const { items } = (await get("/api/v1/input-requests?state=open")).body;
  const shown = items.filter(({ id }: { id: string }) => ids.some((asked) => asked.id === id));
  expect(shown.map(({ actions }: { actions: string[] }) => actions)).toEqual(
    Array(2).fill(["accept", "decline", "cancel"]),
  );
  const answered = await web.call("POST", "/api/v1/input-requests/bulk-answer", {
    cookie: olga.cookie,
    body: { items: ids, action: "accept", content: {} },
  });
  expect(answered.body.results.map(({ status }: { status: string }) => status)).toEqual([
    "recorded",
    "recorded",
  ]);
});

test("an export has the content opened; a change of INTRAY_KEYS touches the key's row alone", async () => {
  const { task } = await populate("KATZENGOLD");
  await put(true);
  await convertAll();
  const dump = await dumpOf(web.database.adminUrl);
  expect(placesOf(dump, "KATZENGOLD")).toEqual([]);
  const exported = await web.open("GET", "/api/v1/organization/export", { cookie: olga.cookie });
  const lines = (await exported.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.find((line) => line.kind === "task" && line.id === task)).toMatchObject({
    arguments: { note: "KATZENGOLD", total: 1000 },
  });
  expect(JSON.stringify(lines)).not.toContain("sealed/");

  const [old] = [{ kid: "k1", key: Buffer.alloc(32, 1) }];
  const done = await reseal(web.db, createSeal([{ kid: "k2", key: Buffer.alloc(32, 2) }, old]));
  expect(done.filter(({ resealed }) => resealed > 0).map(({ table }) => table)).toEqual(["organization_key"]);
  expect((await countByKey(web.db)).get("k1")).toBeUndefined();
  expect((await get(`/api/v1/tasks/${task}`)).body.arguments).toEqual({ note: "KATZENGOLD", total: 1000 });
});

test("everything that shows a task shows a sealed one, whole", async () => {
  await put(true);
  const { task, request } = await populate("MORGENTAU");
  await web.db.withOrganization(acme, async (tx) => {
    const actor = { kind: "member" as const, id: olga.userId, name: "Olga" };
    const line = { actor, taskId: task };
    await appendEvents(tx, [
      { type: "task.status", ...line, data: { statusMessage: "MORGENTAU" } },
      {
        type: "document.read",
        ...line,
        inputRequestId: request.id,
        data: { id: "1", name: "MORGENTAU.pdf" },
      },
    ]);
  });
  const answered = await web.call("POST", `/api/v1/input-requests/${request.id}/answer`, {
    cookie: olga.cookie,
    body: {
      action: "accept",
      content: {},
      comment: "MORGENTAU",
      questionHash: (await get(`/api/v1/input-requests/${request.id}`)).body.questionHash,
    },
  });
  expect(answered.status).toBe(202);
  for (const path of [
    `/tasks/${task}`,
    `/tasks/${task}/events`,
    `/tasks/${task}/access`,
    `/input-requests/${request.id}`,
    "/input-requests",
    "/events",
  ]) {
    const { status, body } = await get(`/api/v1${path}`);
    expect([path, status, JSON.stringify(body).includes("MORGENTAU")]).toEqual([path, 200, true]);
  }
  for (const path of [
    `/tasks/${task}/messages?q=x`,
    `/tasks/${task}/phases`,
    `/tasks/${task}/attempts`,
    "/tasks",
    "/tasks/counts",
    "/tasks/failures",
    "/tasks/total",
    `/input-requests/${request.id}/similar`,
    `/input-requests/${request.id}/documents`,
    "/input-requests/counts",
    "/notices",
    "/overview",
  ])
    expect([path, (await get(`/api/v1${path}`)).status]).toEqual([path, 200]);
  const dump = await dumpOf(web.database.adminUrl);
  expect(placesOf(dump, "MORGENTAU")).toEqual([]);
});

test("results of megabytes are sealed a few in a transaction", async () => {
  const server = await insertServer(web.db, acme);
  const result = { content: [{ type: "text", text: MARK.repeat(70_000) }] };
  for (let n = 0; n < 15; n++) await insertTask(web.db, acme, server, { state: "completed", result });
  await put(true);
  await sql("UPDATE content_sealing SET look_at = now() - interval '1 second'");
  const sealed = async () => {
    const [row] = await sql(
      "SELECT count(*)::integer AS count FROM task WHERE organization_id = $1 AND result::text LIKE '{\"sealed\"%'",
      [acme],
    );
    return Number(row?.count);
  };
  const counts: number[] = [];
  for (let before = 0; before < 15; ) {
    expect(await convertContent(acme, engine)).toBe(true);
    const now = await sealed();
    if (now > before) counts.push(now - before);
    before = now;
  }
  expect(counts).toEqual([5, 5, 5]);
  await convertAll();
});

test("many decided questions with long sealed forms hold nobody up", async () => {
  await put(true);
  const server = await insertServer(web.db, acme);
  const options = Array.from({ length: 2_000 }, (_, n) => ({
    value: `v${n}`,
    title: `${n} ${"t".repeat(100)}`,
  }));
  const file = { kind: "one_of", name: "file", title: "File", description: null, required: true };
  const form = formSchema.parse({ kind: "supported", fields: [{ ...file, options, default: null }] });
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) {
    const task = await insertTask(web.db, acme, server, { arguments: { supplier: "ACME" } });
    const { id, questionHash } = await insertRequest(web.db, acme, task, { form });
    ids.push(id);
    if (n === 0) continue;
    await web.db.withOrganization(acme, async (tx) => {
      const of = { organizationId: acme, inputRequestId: id, questionHash };
      const answeredBy = { kind: "member", id: olga.userId, name: "Olga" };
      await tx.answer.create({
        data: { ...of, id: uuidv7(), action: "accept", content: { file: "v1" }, answeredBy },
      });
      for (const state of ["answered", "settled"])
        await tx.inputRequest.updateMany({
          where: { organizationId: acme, id },
          data: { state, ...(state === "settled" && { endedAt: new Date() }) },
        });
    });
  }
  const list = () => get("/api/v1/input-requests?state=settled&limit=100");
  const { items } = (await list()).body as { items: { answer: { words: string }; actions: string[] }[] };
  expect(items).toHaveLength(39);
  expect(items[0]!.answer.words).toMatch(/^Answered “File: 1 ttt/);
  expect(items[0]!.actions).toContain("accept");
  expect(await busiestTurn(async () => (await list()).status)).toBeLessThan(MOST_HELD_MS);
  const similar = () => get(`/api/v1/input-requests/${ids[0]}/similar`);
  expect((await similar()).body.items).toHaveLength(5);
  expect(await busiestTurn(async () => (await similar()).status)).toBeLessThan(MOST_HELD_MS);
});
