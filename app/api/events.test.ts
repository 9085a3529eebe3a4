import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { pageSchema } from "@/lib/base/page.ts";
import { listedEventSchema, verificationSchema } from "@/lib/history/events/event-schema.ts";
import { appendEvents } from "@/lib/history/events/event-writes.ts";
import { verifyExport } from "@/lib/history/events/verify-export.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let ana: { userId: string; memberId: string; cookie: string };
let task: string;
let request: string;

beforeAll(async () => {
  acme = await web.organization("acme");
  ana = await web.member(acme, "Ana", "admin");
  const server = await insertServer(web.db, acme);
  task = await insertTask(web.db, acme, server);
  request = (await insertRequest(web.db, acme, task)).id;
  const actor = { kind: "member" as const, id: ana.userId, name: "Ana" };
  await web.db.withOrganization(acme, (tx) =>
    appendEvents(tx, [
      { type: "task.queued", actor, taskId: task },
      { type: "request.claimed", actor, taskId: task, inputRequestId: request },
      { type: "requests.seeded", actor },
    ]),
  );
});

const list = async (query: string, cookie = ana.cookie) => {
  const answer = await web.call("GET", `/api/v1/events?${query}`, { cookie });
  return pageSchema(listedEventSchema).parse(answer.body).items;
};
const typesOf = async (query: string) => (await list(query)).map(({ type }) => type);

describe("the list of events", () => {
  test.each([
    ["type=request.claimed", ["request.claimed"]],
    ["type=request", ["request.claimed"]],
    ["type=requests,task", ["requests.seeded", "task.queued"]],
    ["type=nothing", []],
  ])("keeps to %s", async (query, types) => {
    expect(await typesOf(query)).toEqual(types);
  });

  test("keeps to an actor, a task, a request, and a time", async () => {
    const all = await list("");
    expect(await typesOf(`actorId=${ana.userId}`)).toEqual([
      "requests.seeded",
      "request.claimed",
      "task.queued",
      "session.opened",
    ]);
    expect(await typesOf(`actorId=${uuidv7()}`)).toEqual([]);
    expect(await typesOf(`taskId=${task}`)).toEqual(["request.claimed", "task.queued"]);
    expect(await typesOf(`inputRequestId=${request}`)).toEqual(["request.claimed"]);
    expect(await typesOf(`taskId=${task}&type=task`)).toEqual(["task.queued"]);
    const at = all[0]!.at;
    expect((await list(`from=${at}`)).every((event) => event.at >= at)).toBe(true);
    expect((await list(`to=${at}`)).every((event) => event.at < at)).toBe(true);
    expect((await list(`from=${at}`)).length + (await list(`to=${at}`)).length).toBe(all.length);
  });

  test("goes on within its filter", async () => {
    const first = await web.call("GET", `/api/v1/events?limit=1&taskId=${task}`, ana);
    const second = await web.call(
      "GET",
      `/api/v1/events?limit=1&taskId=${task}&cursor=${first.body.nextCursor}`,
      ana,
    );
    expect([first, second].map(({ body }) => body.items[0].type)).toEqual(["request.claimed", "task.queued"]);
    expect(second.body.nextCursor).toBeNull();
  });

  describe("finds words", () => {
    beforeAll(() =>
      web.db.withOrganization(acme, (tx) =>
        appendEvents(tx, [
          {
            type: "server.paused",
            actor: { kind: "key", id: uuidv7(), name: "Nightly" },
            data: { name: "ERP", reason: "100% of C:\\_temp is full" },
          },
          {
            type: "member.added",
            actor: { kind: "member", id: ana.userId, name: "Ana" },
            data: { name: "Rómulo “R”", role: "viewer" },
          },
        ]),
      ),
    );
    test.each([
      ["of who did it", "nightly", ["server.paused"]],
      ["of what it was", "paused", ["server.paused"]],
      ["of the details", "rómulo “r”", ["member.added"]],
      ["of the task's name", "inv-100", ["request.claimed", "task.queued"]],
      ["of the task's tool", "process_inv", ["request.claimed", "task.queued"]],
      ["but no names of details", "reason", []],
      ["with signs as they are", "100%", ["server.paused"]],
      ["with other signs as they are", "c:\\_temp", ["server.paused"]],
      ["and takes no sign for any text", "1%0", []],
      ["and takes no sign for any letter", "E_P", []],
      ["that are nowhere", "nowhere", []],
    ])("%s", async (_, words, types) => {
      expect(await typesOf(`q=${encodeURIComponent(words)}`)).toEqual(types);
    });

    test("within the other filters, and none but spaces are no search", async () => {
      expect(await typesOf("q=erp&type=server")).toEqual(["server.paused"]);
      expect(await typesOf("q=erp&type=member")).toEqual([]);
      expect(await typesOf("q=%20&type=server")).toEqual(["server.paused"]);
    });

    test("page by page", async () => {
      const page = async (query: string) =>
        (await web.call("GET", `/api/v1/events?q=inv-100&limit=1${query}`, ana)).body;
      const first = await page("");
      const second = await page(`&cursor=${first.nextCursor}`);
      expect([first, second].map(({ items }) => items[0].type)).toEqual(["request.claimed", "task.queued"]);
      expect(second.nextCursor).toBeNull();
    });
  });

  test.each(["type=%27%3B", "type=a.b.c", "taskId=x", "from=yesterday", "limit=0", `q=${"x".repeat(201)}`])(
    "refuses %s",
    async (query) => {
      expect((await web.call("GET", `/api/v1/events?${query}`, ana)).status).toBe(422);
    },
  );
});

test("nobody below an admin reads, exports or verifies history, and nobody another organization's", async () => {
  const paths = ["/api/v1/events", "/api/v1/events/export", "/api/v1/events/verify"];
  for (const role of ["viewer", "approver", "operator"] as const) {
    const key = await web.key(acme, role);
    for (const path of paths) expect((await web.call("GET", path, { key })).status).toBe(403);
  }
  const globex = await web.organization("globex");
  const eve = await web.member(globex, "Eve", "owner");
  expect((await list(`taskId=${task}`, eve.cookie)).length).toBe(0);
  const exported = await (await web.open("GET", "/api/v1/events/export", eve)).text();
  expect(exported).not.toContain(acme);
  expect(exported).not.toContain(task);
});

describe("a line of the list names its task", () => {
  const engine = { kind: "engine" as const, id: null, name: "Intray" };
  const of = async (taskId: string, who: { cookie: string }) => {
    await web.db.withOrganization(acme, (tx) =>
      appendEvents(tx, [{ type: "task.completed", actor: engine, taskId }]),
    );
    return (await list(`taskId=${taskId}&limit=1`, who.cookie)).map(({ task }) => task);
  };

  test("by label and tool; other lines have none", async () => {
    expect(await of(task, ana)).toEqual([{ label: "INV-100", tool: "process_invoice" }]);
    expect((await list("type=requests")).map((event) => event.task)).toEqual([null]);
  });

  test("only to who may see a private one", async () => {
    const owner = await web.member(acme, "Oda", "owner");
    const server = await insertServer(web.db, acme);
    const secret = await insertTask(web.db, acme, server, {
      visibility: "private",
      requester: owner.userId,
      tool: "pay_salary",
    });
    expect(await of(secret, ana)).toEqual([null]);
    expect(await of(secret, owner)).toEqual([{ label: "INV-100", tool: "pay_salary" }]);
    const actor = { kind: "member" as const, id: owner.userId, name: "Oda" };
    await web.db.withOrganization(acme, (tx) =>
      appendEvents(tx, [
        { type: "request.opened", actor, taskId: secret, data: { message: "Pay_salary of Cleo, 9,000?" } },
      ]),
    );
    const lines = async (who: { cookie: string }) =>
      (await list(`taskId=${secret}&type=request`, who.cookie))[0];
    expect(await lines(owner)).toMatchObject({ data: { message: "Pay_salary of Cleo, 9,000?" } });
    expect(await lines(ana)).toMatchObject({ type: "request.opened", actor, data: {} });
    // Nor is a line found by what it does not say.
    for (const words of ["salary", "9,000"]) {
      expect(await list(`q=${words}`, owner.cookie)).not.toEqual([]);
      expect(await list(`q=${words}`)).toEqual([]);
    }
    const exported = async (who: { cookie: string }) =>
      (await (await web.open("GET", "/api/v1/events/export", who)).text()).trimEnd().split("\n");
    expect(JSON.stringify(await exported(owner))).toContain("Pay_salary");
    const adminsExport = await exported(ana);
    expect(JSON.stringify(adminsExport)).not.toContain("Pay_salary");
    expect(await verifyExport(Readable.from(adminsExport))).toMatchObject({
      ok: true,
      lines: adminsExport.length,
    });
    const everything = await web.call("GET", "/api/v1/events?limit=200", ana);
    expect(JSON.stringify(everything.body)).not.toContain("pay_salary");
    expect((await web.call("GET", `/api/v1/tasks/${secret}`, ana)).status).toBe(404);
  });
});

test("lines about members and keys say whose they are", async () => {
  const home = await web.organization("names");
  const odo = await web.member(home, "Odo", "owner");
  const cleo = await web.member(home, "Cleo", "viewer");
  const write = async (method: "POST" | "PATCH" | "DELETE", path: string, body?: object) => {
    const answer = await web.call(method, `/api/v1${path}`, { cookie: odo.cookie, body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  await write("PATCH", `/members/${cleo.memberId}`, { role: "approver" });
  const { id } = await write("POST", "/api-keys", { name: "Build", role: "viewer" });
  await write("PATCH", `/api-keys/${id}`, { name: "CI" });
  await write("DELETE", `/api-keys/${id}`);
  await write("DELETE", `/members/${cleo.memberId}`);
  const lines = await list("type=member,key", odo.cookie);
  expect(lines.slice(0, 5).map(({ type, data }) => [type, data])).toMatchObject([
    ["member.removed", { userId: cleo.userId, name: "Cleo", role: "approver" }],
    ["key.revoked", { keyId: id, name: "CI", role: "viewer" }],
    ["key.renamed", { keyId: id, from: "Build", name: "CI" }],
    ["key.created", { keyId: id, name: "Build" }],
    ["member.role_changed", { userId: cleo.userId, name: "Cleo", from: "viewer", to: "approver" }],
  ]);
});

describe("looking is a line too", () => {
  test("an export is, and is in itself", async () => {
    const exported = await (await web.open("GET", "/api/v1/events/export", ana)).text();
    const last = JSON.parse(exported.trimEnd().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ type: "events.exported", actor: { id: ana.userId, name: "Ana" } });
  });

  test("reading protocol messages is one for each person and task, and none in the task's own history", async () => {
    const ben = await web.member(acme, "Ben", "operator");
    const read = (who: { cookie: string }) => web.call("GET", `/api/v1/tasks/${task}/messages`, who);
    expect((await Promise.all([read(ana), read(ana), read(ben)])).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    await read(ana);
    const lines = await list(`type=protocol.read&taskId=${task}`);
    expect(lines.map(({ actor }) => actor.name).sort()).toEqual(["Ana", "Ben"]);
    const timeline = await web.call("GET", `/api/v1/tasks/${task}/events`, ana);
    expect(timeline.body.items.map(({ type }: { type: string }) => type)).not.toContain("protocol.read");
    const viewer = await web.member(acme, "Vic", "viewer");
    expect((await read(viewer)).status).toBe(403);
    expect(await list(`type=protocol.read&actorId=${viewer.userId}`)).toEqual([]);
  });

  test("a verification is where the chain does not hold", async () => {
    const verify = async () =>
      verificationSchema.parse((await web.call("GET", "/api/v1/events/verify", ana)).body);
    expect(await verify()).toMatchObject({ ok: true, brokenAt: null, fault: null });
    expect(await list("type=events.verified")).toEqual([]);
    await withClient(web.database.adminUrl, (client) =>
      client.query("DELETE FROM event WHERE organization_id = $1 AND type = 'requests.seeded'", [acme]),
    );
    const broken = await verify();
    expect(broken).toMatchObject({ ok: false, fault: "gap" });
    await verify();
    expect(await list("type=events.verified")).toMatchObject([
      { actor: { name: "Ana" }, data: { brokenAt: broken.brokenAt, fault: "gap" } },
    ]);
  });
});
