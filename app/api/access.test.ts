/** Members see who looked at what of theirs, and at nothing of anybody else's. */
import { beforeEach, describe, expect, test } from "vitest";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
let ana: Person;
let ola: Person;
let odo: Person;
let ben: Person;
let task: string;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-access-${++made}`);
  server = await insertServer(web.db, acme);
  ana = await web.member(acme, "Ana", "owner");
  ola = await web.member(acme, "Ola", "operator");
  odo = await web.member(acme, "Odo", "operator");
  ben = await web.member(acme, "Ben", "approver");
  task = await insertTask(web.db, acme, server, { requester: ola.userId });
});

type Who = { cookie?: string; key?: string };
const get = (path: string, who: Who) => web.call("GET", `/api/v1${path}`, who);
const readMessages = async (id: string, who: Who) =>
  expect((await get(`/tasks/${id}/messages`, who)).status).toBe(200);
const download = async (path: string, who: Who) => {
  const response = await web.open("GET", `/api/v1${path}`, who);
  expect(response.status).toBe(200);
  return response.text();
};
const viewAs = async (who: Person, member: Person) => {
  expect((await web.call("POST", `/api/v1/members/${member.memberId}/view-as`, who)).status).toBe(200);
  expect((await web.call("DELETE", "/api/v1/me/view-as", who)).status).toBe(204);
};
/** `kind by`, newest first. */
const looks = async (path: string, who: Who): Promise<string[]> => {
  const { status, body } = await get(path, who);
  expect([path, status]).toEqual([path, 200]);
  return body.items.map(({ kind, by }: { kind: string; by: { name: string } }) => `${kind} ${by.name}`);
};
const atTask = (who: Who, id = task) => looks(`/tasks/${id}/access`, who);
const own = (who: Who) => looks("/me/access", who);
const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

describe("who asked for a task", () => {
  test("sees who read its messages, opened its documents, took it out, and looked as them, newest first", async () => {
    const note = (text: string) => ({ type: "resource", resource: { uri: `note://${text}`, text } });
    await sql("UPDATE task SET arguments = $2 WHERE id = $1", [
      task,
      JSON.stringify({ a: note("one"), b: note("two") }),
    ]);
    const request = await insertRequest(web.db, acme, task);
    await readMessages(task, odo);
    const { items } = (await get(`/input-requests/${request.id}/documents`, ben)).body;
    for (const { id } of [items[0], items[1], items[0]])
      await download(`/input-requests/${request.id}/documents/${id}`, ben);
    await download("/tasks/export", odo);
    await download("/events/export", ana);
    await download("/organization/export", ana);
    await viewAs(ana, ola);
    expect(await atTask(ola)).toEqual([
      "view_as Ana",
      "organization_export Ana",
      "history_export Ana",
      "tasks_export Odo",
      "document Ben",
      "document Ben",
      "protocol Odo",
    ]);
    const { body } = await get(`/tasks/${task}/access`, ola);
    expect(body.items.slice(-3)).toMatchObject([
      { document: "two", task: { id: task, label: "INV-100", tool: "process_invoice" } },
      { document: "one", task: { id: task } },
      { document: null, task: { id: task }, by: { kind: "member", id: odo.userId } },
    ]);
    expect(await atTask(ana)).toEqual(await atTask(ola));
    const first = (await get(`/tasks/${task}/access?limit=4`, ola)).body;
    const rest = (await get(`/tasks/${task}/access?limit=4&cursor=${first.nextCursor}`, ola)).body;
    expect([...first.items, ...rest.items]).toEqual(body.items);
    expect(rest.nextCursor).toBeNull();
  });

  test("sees it with a key of their own too", async () => {
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: ana.cookie,
      body: { name: "Mine", role: "viewer" },
    });
    const started = await insertTask(web.db, acme, server, { requester: ana.userId });
    await readMessages(started, odo);
    expect(await atTask({ key: made.body.secret }, started)).toEqual(["protocol Odo"]);
  });

  test("sees nothing of before the task, and of other tasks", async () => {
    await download("/organization/export", ana);
    await download("/tasks/export", ana);
    await viewAs(ana, ola);
    await viewAs(ana, odo);
    const later = await insertTask(web.db, acme, server, { requester: ola.userId });
    await readMessages(task, odo);
    await viewAs(ana, odo);
    expect(await atTask(ola, later)).toEqual([]);
  });

  test("is not told of a look at the task, its requests and lists", async () => {
    const request = await insertRequest(web.db, acme, task);
    for (const path of [`/tasks/${task}`, `/tasks/${task}/events`, "/tasks", `/input-requests/${request.id}`])
      expect((await get(path, odo)).status).toBe(200);
    expect(await atTask(ola)).toEqual([]);
  });
});

describe("anybody else", () => {
  test("sees no readers, though they see the task", async () => {
    await readMessages(task, odo);
    for (const who of [odo, ben, { key: await web.key(acme, "operator") }]) {
      const { status, body } = await get(`/tasks/${task}/access`, who);
      expect([status, body.code]).toEqual([403, "forbidden"]);
    }
    expect(await atTask({ key: await web.key(acme, "admin") })).toEqual(["protocol Odo"]);
  });

  test("sees nothing of a private task, be they an owner", async () => {
    const secret = await insertTask(web.db, acme, server, {
      requester: ola.userId,
      visibility: "private",
    });
    await insertRequest(web.db, acme, secret, { assignee: ben.userId });
    await readMessages(secret, ola);
    await download("/events/export", ana);
    await viewAs(ana, ola);
    await download("/organization/export", ana);
    expect((await get(`/tasks/${secret}/access`, ana)).status).toBe(404);
    expect((await get(`/tasks/${secret}/access`, ben)).status).toBe(403);
    // The history's details of it are in nobody else's export, and a view does not show it.
    expect(await atTask(ola, secret)).toEqual(["organization_export Ana", "protocol Ola"]);
    expect(await own(ben)).toContain("protocol Ola");
    await sql("UPDATE input_request SET assignee_user_id = NULL WHERE task_id = $1", [secret]);
    expect(await own(ben)).not.toContain("protocol Ola");
  });
});

describe("a member", () => {
  test("sees who looked at tasks that they started, and whose requests they answered or have", async () => {
    const [answered, assigned, others] = await Promise.all(
      [0, 1, 2].map(() => insertTask(web.db, acme, server, { requester: odo.userId })),
    );
    const { id, questionHash } = await insertRequest(web.db, acme, answered!);
    const reply = await web.call("POST", `/api/v1/input-requests/${id}/answer`, {
      cookie: ben.cookie,
      body: { action: "decline", questionHash },
    });
    expect(reply.status).toBe(202);
    await insertRequest(web.db, acme, assigned!, { assignee: ben.userId });
    for (const each of [answered!, assigned!, others!]) await readMessages(each, ola);
    await readMessages(task, ana);
    await viewAs(ana, ben);
    const { body } = await get("/me/access", ben);
    expect(
      body.items.map(({ kind, task }: { kind: string; task: { id: string } | null }) => [kind, task?.id]),
    ).toEqual([
      ["view_as", undefined],
      ["protocol", assigned],
      ["protocol", answered],
    ]);
    expect(await own(ola)).toEqual(["protocol Ana"]);
    expect(await own(odo)).toEqual(["protocol Ola", "protocol Ola", "protocol Ola"]);
    const paged = (await get(`/me/access?limit=2`, ben)).body;
    const next = (await get(`/me/access?limit=2&cursor=${paged.nextCursor}`, ben)).body;
    expect([...paged.items, ...next.items]).toEqual(body.items);
  });

  test("sees who took them out, and not what they looked at themselves", async () => {
    await readMessages(task, ola);
    await download("/tasks/export", ola);
    expect(await own(ola)).toEqual([]);
    await download("/tasks/export?format=csv", odo);
    await download("/events/export", ana);
    await download("/organization/export", ana);
    expect(await own(ola)).toEqual(["organization_export Ana", "history_export Ana", "tasks_export Odo"]);
    // Nothing of Ben's was in the list.
    expect(await own(ben)).toEqual(["organization_export Ana", "history_export Ana"]);
    expect(await own(ana)).toEqual([]);
  });

  test("of very many tasks is told the same", async () => {
    await sql(
      `INSERT INTO task SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
        FROM task t, generate_series(1, 2100) WHERE t.id = $1`,
      [task],
    );
    const others = await insertTask(web.db, acme, server, { requester: odo.userId });
    for (const id of [task, others]) await readMessages(id, ana);
    await viewAs(ana, ola);
    expect(await own(ola)).toEqual(["view_as Ana", "protocol Ana"]);
    const [first] = (await get("/me/access?limit=1", ola)).body.items;
    expect(first.kind).toBe("view_as");
  });

  test("is told nothing by a key, and nothing of another organization", async () => {
    const globex = await web.organization(`globex-access-${made}`);
    const gus = await web.member(globex, "Gus", "owner");
    await readMessages(task, ana);
    await download("/organization/export", ana);
    expect(await own(gus)).toEqual([]);
    expect((await get(`/tasks/${task}/access`, gus)).status).toBe(404);
    expect((await get("/me/access", { key: await web.key(acme, "owner") })).status).toBe(403);
  });
});

describe("an export of a list", () => {
  test("is in the history with the tasks that leave and no other, once their first bytes do", async () => {
    const other = await insertTask(web.db, acme, server, { requester: odo.userId, tool: "deploy" });
    const response = await web.open("GET", "/api/v1/tasks/export?tool=deploy", ben);
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const [line] = await sql(
      "SELECT data, actor FROM event WHERE organization_id = $1 AND type = 'tasks.exported'",
      [acme],
    );
    expect(line).toMatchObject({
      data: { taskIds: [other], people: [odo.userId] },
      actor: { name: "Ben" },
    });
    expect(JSON.parse(first)).toMatchObject({ id: other });
    expect((await reader.read()).done).toBe(true);
    expect(await atTask(odo, other)).toEqual(["tasks_export Ben"]);
    expect(await atTask(ola)).toEqual([]);
  });

  test("of many tasks is in several lines, each of which names a hundred at most", async () => {
    await sql(
      `INSERT INTO task SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
        FROM task t, generate_series(1, 210) WHERE t.id = $1`,
      [task],
    );
    await download("/tasks/export", ben);
    const lines = await sql(
      "SELECT jsonb_array_length(data->'taskIds') AS tasks FROM event WHERE organization_id = $1 AND type = 'tasks.exported' ORDER BY seq",
      [acme],
    );
    expect(lines.map(({ tasks }) => tasks)).toEqual([100, 100, 11]);
    expect(await atTask(ola)).toEqual(["tasks_export Ben"]);
  });

  test("is no longer told once the details of the history are deleted; who read the messages is", async () => {
    await readMessages(task, odo);
    await download("/tasks/export", odo);
    await sql("UPDATE event SET data = NULL WHERE organization_id = $1", [acme]);
    expect(await atTask(ola)).toEqual(["protocol Odo"]);
  });
});

test("the lines of a task's own history have no readers", async () => {
  const request = await insertRequest(web.db, acme, task);
  await sql("UPDATE task SET arguments = $2 WHERE id = $1", [
    task,
    JSON.stringify({ a: { type: "resource", resource: { uri: "note://one", text: "one" } } }),
  ]);
  const { items } = (await get(`/input-requests/${request.id}/documents`, ben)).body;
  await download(`/input-requests/${request.id}/documents/${items[0].id}`, ben);
  await readMessages(task, odo);
  const { body } = await get(`/tasks/${task}/events`, ben);
  expect(body.items).toEqual([]);
});
