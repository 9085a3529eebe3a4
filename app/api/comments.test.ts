/** Talking before deciding: the thread of a request, what it waits for from its requester, and what members put off for themselves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Principal } from "@/lib/access/principal.ts";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { NOTICES, SNOOZES } from "@/lib/engine/jobs/notice-jobs.ts";
import { fireDueTimers } from "@/lib/lifecycle/request-timers/fire-timers.ts";
import { normaliseForm } from "@/lib/mcp/forms/read-form.ts";
import { readThread } from "@/lib/requests/comments/comment-reads.ts";
import { addComment } from "@/lib/requests/comments/comment-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { type VotingOrganization, votingForFile } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let engine: Database;
const { acme, ana, ben, cleo, ola, vic } = votingForFile(web, "acme", {
  ana: "owner",
  ben: "approver",
  cleo: "approver",
  ola: "operator",
  vic: "viewer",
});
/** Asks for tasks. */
const names = new Map<string, string>();

beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 4 });
});
beforeAll(async () => {
  for (const [name, { userId }] of Object.entries({ ana, ben, cleo, ola, vic })) names.set(userId, name);
  await notify();
});
afterAll(async () => {
  await engine.close();
});

type Who = { cookie: string } | { key: string };
type Request = { id: string; questionHash: string };
const at = (request: { id: string }, path: string) => `/api/v1/input-requests/${request.id}${path}`;
const run = (job: typeof NOTICES) =>
  job.run({ database: engine } as Parameters<typeof NOTICES.run>[0], acme.id);
const notify = () => run(NOTICES);
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}): Promise<Request> =>
  acme.ask(await acme.task({ requester: ola.userId, ...more }));
const say = (who: Who, request: Request, text: string, mentions?: string[]) =>
  web.call("POST", at(request, "/comments"), { ...who, body: { text, ...(mentions && { mentions }) } });
const thread = async (who: Who, request: Request) =>
  (await web.call("GET", at(request, "/comments"), who)).body;
const askRequester = (who: Who, request: Request, text = "Which cost center?") =>
  web.call("POST", at(request, "/ask-requester"), { ...who, body: { text } });
const hasInfo = (who: Who, request: Request) => web.call("POST", at(request, "/has-info"), who);
const snooze = (who: Who, request: Request, ms = 3600_000) =>
  web.call("PUT", at(request, "/snooze"), {
    ...who,
    body: { until: new Date(Date.now() + ms).toISOString() },
  });
const codeOf = ({ status, body }: { status: number; body: { code: string } | null }) => [status, body?.code];
const told = async (subject: string) =>
  (
    await acme.sql(
      "SELECT user_id, cause FROM notice WHERE subject = $1 AND withdrawn_at IS NULL AND read_at IS NULL",
      [subject],
    )
  )
    .map((row) => `${names.get(row.user_id)} ${row.cause}`)
    .sort();
const listed = async (who: Who, query: string) =>
  (await web.call("GET", `/api/v1/input-requests?limit=200&${query}`, who)).body.items.map(
    ({ id }: { id: string }) => id,
  );
const typesOf = async (request: Request) => (await acme.lines(request)).map(({ type }) => type);

describe("a comment", () => {
  test("is read by whoever may see the request, and counted", async () => {
    const request = await asked();
    const made = await say(ben, request, "  Who is this vendor?  ");
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      by: { kind: "member", id: ben.userId, name: "Ben" },
      text: "Who is this vendor?",
      mentions: [],
      asks: false,
      deletedAt: null,
    });
    const key = await web.key(acme.id, "viewer");
    for (const who of [cleo, vic, { key }])
      expect((await thread(who, request)).items).toMatchObject([{ text: "Who is this vendor?" }]);
    expect((await acme.read(vic, request)).comments).toBe(1);
    expect((await acme.lines(request)).at(-1)).toMatchObject({
      type: "request.commented",
    });
    // The history says that somebody commented, and not what: a digest of a short text can be guessed.
    expect((await acme.lines(request)).at(-1)).toHaveProperty("data", { commentId: made.body.id });
    expect(JSON.stringify(await acme.lines(request))).not.toContain("vendor");
  });

  test("is written in person, by whoever may answer or asked for the task", async () => {
    const request = await asked({ requester: vic.userId });
    expect((await say(vic, request, "It is mine")).status).toBe(201);
    const other = await asked();
    expect(codeOf(await say(vic, other, "Mine?"))).toEqual([403, "forbidden"]);
    for (const key of [await web.key(acme.id, "owner"), await acme.keyOf(ana, "admin")])
      expect(codeOf(await say({ key }, other, "From a program"))).toEqual([403, "forbidden"]);
    expect((await thread(vic, other)).mayComment).toBe(false);
    expect(await thread(ben, other)).toMatchObject({
      mayComment: true,
      requester: { id: ola.userId, name: "Ola" },
      items: [],
    });
    expect((await thread(ola, other)).requester).toBeNull();
  });

  test("is for those who see the request: of a private task its requester and whoever has it", async () => {
    const request = await asked({ visibility: "private" });
    for (const who of [ben, ana, { key: await web.key(acme.id, "owner") }]) {
      expect((await web.call("GET", at(request, "/comments"), who)).status).toBe(404);
    }
    expect((await say(ben, request, "Hello")).status).toBe(404);
    expect((await say(ola, request, "For whom?", [ben.userId])).body.errors).toEqual([
      { field: "mentions.0", message: expect.any(String) },
    ]);
    const found = await web.call("GET", at(request, "/mentionable?q="), ola);
    expect(found.body.items).toEqual([]);
    expect((await say(ola, request, "To myself")).status).toBe(201);
  });

  test("finds people whose names read the same with their addresses", async () => {
    const request = await asked();
    const yara = await web.member(acme.id, "Yara", "viewer");
    const other = await web.member(acme.id, "Yara2", "viewer");
    await web.database.sql(`UPDATE "user" SET name = 'Yara' WHERE id = $1`, [other.userId]);
    const found = await web.call("GET", at(request, "/mentionable?q=yara"), ben);
    expect(found.body.items).toEqual([
      { id: yara.userId, name: "Yara", email: `yara-${acme.id}@test.example` },
      { id: other.userId, name: "Yara", email: `yara2-${acme.id}@test.example` },
    ]);
    // What is kept and shown of a comment has the name alone.
    const made = await say(ben, request, "@Yara", [yara.userId]);
    expect(made.body.mentions).toEqual([{ id: yara.userId, name: "Yara" }]);
  });

  test("mentions members, who are told without what it says", async () => {
    const request = await asked();
    const found = await web.call("GET", at(request, "/mentionable?q=cle"), ben);
    expect(found.body.items).toEqual([{ id: cleo.userId, name: "Cleo" }]);
    const made = await say(ben, request, "@Cleo is this one of yours? SECRET", [cleo.userId, vic.userId]);
    expect(made.body.mentions).toEqual([
      { id: cleo.userId, name: "Cleo" },
      { id: vic.userId, name: "Vic" },
    ]);
    await notify();
    expect(await told(made.body.id)).toEqual(["cleo comment.mentioned", "vic comment.mentioned"]);
    const notices = await web.call("GET", "/api/v1/notices?unread=true", cleo);
    expect(notices.body.items).toContainEqual(
      expect.objectContaining({
        kind: "assigned",
        cause: "comment.mentioned",
        inputRequestId: request.id,
      }),
    );
    expect(JSON.stringify(notices.body)).not.toContain("SECRET");
    const stranger = await say(ben, request, "@Nobody", [uuidv7()]);
    expect([stranger.status, stranger.body.errors[0].field]).toEqual([422, "mentions.0"]);
  });

  test("loses what it says for good when its author deletes it, and its notices with it", async () => {
    const request = await asked();
    const { body } = await say(ben, request, "Never mind, @Cleo", [cleo.userId]);
    await notify();
    const path = at(request, `/comments/${body.id}`);
    expect(codeOf(await web.call("DELETE", path, cleo))).toEqual([403, "forbidden"]);
    expect(codeOf(await web.call("DELETE", path, ana))).toEqual([403, "forbidden"]);
    const both = await Promise.all([web.call("DELETE", path, ben), web.call("DELETE", path, ben)]);
    expect(both.map(({ status }) => status)).toEqual([204, 204]);
    expect((await thread(cleo, request)).items).toMatchObject([
      { id: body.id, by: { name: "Ben" }, text: null, mentions: [], deletedAt: expect.any(String) },
    ]);
    expect((await acme.read(cleo, request)).comments).toBe(0);
    expect((await typesOf(request)).filter((type) => type === "request.comment_deleted")).toHaveLength(1);
    await notify();
    expect(await told(body.id)).toEqual([]);
  });

  test("stays while a legal hold stands", async () => {
    const request = await asked();
    const { body } = await say(ben, request, "Pay it, nobody looks");
    const path = at(request, `/comments/${body.id}`);
    const hold = await web.call("PUT", "/api/v1/organization/hold", { ...ana, body: { reason: "Lawsuit" } });
    expect(hold.status).toBe(200);
    expect(codeOf(await web.call("DELETE", path, ben))).toEqual([409, "legal_hold"]);
    expect((await thread(ben, request)).items).toMatchObject([{ text: "Pay it, nobody looks" }]);
    expect((await web.call("DELETE", "/api/v1/organization/hold", ana)).status).toBe(200);
    expect((await web.call("DELETE", path, ben)).status).toBe(204);
  });

  test("has bounds, and a request at most 200", async () => {
    const request = await asked();
    for (const body of [{ text: " " }, { text: "x".repeat(4_001) }, { text: "x", more: 1 }, {}])
      expect((await web.call("POST", at(request, "/comments"), { ...ben, body })).status).toBe(422);
    await acme.sql(
      `INSERT INTO request_comment (organization_id, id, input_request_id, author, written_by, text)
        SELECT $1, gen_random_uuid(), $2, $3, '{"kind":"member","id":null,"name":"Ben"}', 'x' FROM generate_series(1, 199)`,
      [acme.id, request.id, ben.userId],
    );
    const last = await Promise.all([say(ben, request, "one"), say(cleo, request, "two")]);
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [{ count }] = await acme.sql("SELECT count(*) FROM request_comment WHERE input_request_id = $1", [
      request.id,
    ]);
    expect(Number(count)).toBe(200);
  });

  test("is nothing that an agent sees", async () => {
    const agent = uuidv7();
    await acme.sql(
      `INSERT INTO agent_credential (organization_id, id, name, role, created_by, secret_hash)
        VALUES ($1, $2, 'Coder', 'operator', $3, sha256('a secret'))`,
      [acme.id, agent, ana.userId],
    );
    const request = await acme.ask(await acme.task({ agent }));
    await say(ben, request, "Who let it do that?");
    expect((await askRequester(ben, request)).body.needsInfo.of).toEqual({ id: ana.userId, name: "Ana" });
    const principal: Principal = {
      organizationId: acme.id,
      // As one that Ana signed in.
      userId: ana.userId,
      role: "operator",
      actor: { kind: "agent", id: agent, name: "Coder" },
    };
    const asAgent = <T>(work: Parameters<typeof web.db.withOrganization<T>>[1]) =>
      web.db.withOrganization(acme.id, work);
    expect(await asAgent((tx) => readInputRequest(tx, principal, request.id))).toMatchObject({
      comments: 0,
      needsInfo: null,
      snoozedUntil: null,
    });
    await expect(asAgent((tx) => readThread(tx, principal, request.id))).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(
      asAgent((tx) => addComment(tx, principal, request.id, { text: "Let me" })),
    ).rejects.toMatchObject({ code: "forbidden" });
  });

  test("is not in a receipt, which others get", async () => {
    const request = await asked();
    await say(ben, request, "Fine by me", [cleo.userId]);
    await askRequester(ben, request);
    const receipt = await web.open("GET", at(request, "/receipt"), ben);
    const [, body = ""] = (await receipt.text()).split(".");
    const said = JSON.parse(Buffer.from(body, "base64url").toString());
    expect(said.history.map(({ type }: { type: string }) => type)).toEqual(["request.opened"]);
  });
});

describe("a request that waits for its requester", () => {
  test("says so, tells them, and is decided all the same", async () => {
    const request = await asked();
    const reply = await askRequester(ben, request);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      state: "open",
      comments: 1,
      needsInfo: {
        by: { id: ben.userId, name: "Ben" },
        of: { id: ola.userId, name: "Ola" },
        at: expect.any(String),
      },
    });
    expect(await listed(cleo, "needsInfo=true")).toContain(request.id);
    expect(await listed(cleo, "needsInfo=true")).not.toContain((await asked()).id);
    expect(await listed(cleo, "waiting=me")).toContain(request.id);
    await notify();
    expect(await told(request.id)).toContain("ola request.info_wanted");
    expect((await acme.decide(cleo, request)).status).toBe(202);
    expect((await acme.read(cleo, request)).needsInfo).toBeNull();
    await notify();
    expect(await told(request.id)).toEqual([]);
    expect(codeOf(await askRequester(ben, request))).toEqual([409, "already_answered"]);
    // A comment is still possible.
    expect((await say(ola, request, "Thank you")).status).toBe(201);
  });

  test("waits no longer once they comment, and who asked is told", async () => {
    const request = await asked();
    await askRequester(ben, request);
    await say(cleo, request, "I don't know either");
    expect((await acme.read(ben, request)).needsInfo).not.toBeNull();
    const { body } = await say(ola, request, "4711");
    expect((await acme.read(ben, request)).needsInfo).toBeNull();
    expect(await typesOf(request)).toEqual([
      "request.opened",
      "request.commented",
      "request.info_asked",
      "request.commented",
      "request.commented",
      "request.info_given",
    ]);
    await notify();
    expect(await told(body.id)).toEqual(["ben comment.info_given"]);
  });

  test("or once anybody has what was missing: of two at once, one line", async () => {
    const request = await asked();
    await askRequester(ben, request);
    const both = await Promise.all([hasInfo(cleo, request), hasInfo(ben, request)]);
    expect(both.map(({ status, body }) => [status, body.needsInfo])).toEqual([
      [200, null],
      [200, null],
    ]);
    expect((await typesOf(request)).filter((type) => type === "request.info_given")).toHaveLength(1);
    expect(codeOf(await hasInfo(vic, request))).toEqual([403, "forbidden"]);
  });

  test("or once its question is another one", async () => {
    const task = await acme.task({ requester: ola.userId });
    const request = await acme.ask(task, { key: "k" });
    await askRequester(ben, request);
    const next = await acme.ask(task, { key: "k", message: "Approve another?" });
    expect((await acme.read(ben, request)).needsInfo).toBeNull();
    expect((await acme.read(ben, next)).needsInfo).toBeNull();
    const waiting = await listed(ben, "needsInfo=true");
    expect([request.id, next.id].filter((id) => waiting.includes(id))).toEqual([]);
  });

  test("asks once at a time, and not oneself", async () => {
    const request = await asked();
    const both = await Promise.all([askRequester(ben, request), askRequester(cleo, request)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await thread(ben, request)).items).toHaveLength(1);
    expect(codeOf(await askRequester(ola, await asked()))).toEqual([409, "no_requester"]);
    const key = { key: await web.key(acme.id, "owner") };
    expect(codeOf(await askRequester(key, await asked()))).toEqual([403, "forbidden"]);
  });

  test("is about the person behind a key", async () => {
    const secret = await acme.keyOf(ana, "operator");
    const task = await acme.task();
    await acme.sql(
      `UPDATE task SET requested_by = (SELECT jsonb_build_object('kind', 'key', 'id', k.id, 'name', k.name) FROM api_key k
        WHERE k.created_by = $2 ORDER BY k.created_at DESC LIMIT 1) WHERE id = $1`,
      [task, ana.userId],
    );
    expect(secret).toBeTruthy();
    const request = await acme.ask(task);
    expect((await askRequester(ben, request)).body.needsInfo.of).toEqual({ id: ana.userId, name: "Ana" });
    await notify();
    expect(await told(request.id)).toContain("ana request.info_wanted");
    // Of the command line's key nobody is.
    const orphan = await acme.ask(await acme.task());
    expect(codeOf(await askRequester(ben, orphan))).toEqual([409, "no_requester"]);
  });

  test("pauses reminders and nothing else, for the working time that passes", async () => {
    await acme.stages({
      name: "One",
      approvers: { people: [ben.email, cleo.email] },
      need: 2,
      remind: ["4h", "1h!"],
      escalate: { after: "2d", to: { people: [ana.email] } },
    });
    const request = await asked();
    const rows = () =>
      acme.sql(
        "SELECT kind, after, starts_at, due_at, paused_at, paused_ms FROM request_timer WHERE input_request_id = $1 AND fired_at IS NULL ORDER BY kind, after",
        [request.id],
      );
    const before = await rows();
    await askRequester(ben, request);
    const paused = await rows();
    expect(paused.map(({ kind, paused_at }) => [kind, paused_at !== null])).toEqual([
      ["escalate", false],
      ["remind", true],
      ["remind", true],
    ]);
    expect(paused[0].due_at).toEqual(before[0].due_at);
    expect((await acme.read(ben, request)).approval.timers).toMatchObject([{ kind: "escalate" }]);
    await fireDueTimers(acme.id, engine);
    // As if Ola had needed three hours.
    await acme.sql(
      "UPDATE request_timer SET paused_at = paused_at - interval '3 hours' WHERE input_request_id = $1 AND kind = 'remind'",
      [request.id],
    );
    await say(ola, request, "4711");
    const after = await rows();
    const moved = after.map(({ due_at }, n) => Math.round((due_at - before[n].due_at) / 3600_000));
    expect(after.map(({ kind, paused_at }, n) => [kind, paused_at, moved[n]])).toEqual([
      ["escalate", null, 0],
      ["remind", null, 3],
      ["remind", null, 3],
    ]);
    expect((await acme.read(ben, request)).approval.timers).toHaveLength(3);

    // A change of the calendar keeps what was paused.
    const key = await web.key(acme.id, "admin");
    const all = [{ from: "00:00", to: "24:00" }];
    const days = { mon: all, tue: all, wed: all, thu: all, fri: all, sat: all, sun: all };
    const saved = await web.call("PUT", "/api/v1/calendar", {
      key,
      headers: { "if-match": "0" },
      body: { calendar: { zone: "UTC", days } },
    });
    expect(saved.status).toBe(200);
    await fireDueTimers(acme.id, engine);
    expect((await rows()).map(({ due_at }) => due_at)).toEqual(after.map(({ due_at }) => due_at));
    // A vote is given meanwhile as ever, and a stage that opens then has its reminders paused.
    await askRequester(cleo, request);
    expect((await acme.decide(ben, request)).status).toBe(202);
    expect((await acme.read(ben, request)).needsInfo).not.toBeNull();
    await acme.decide(cleo, request);
    expect(await rows()).toEqual([]);
  });

  test("and a stage that opens meanwhile has its reminders paused from the start", async () => {
    await acme.stages(
      { name: "One", approvers: { people: [ben.email] } },
      { name: "Two", approvers: { people: [cleo.email] }, remind: ["4h"] },
    );
    const request = await asked();
    await askRequester(ben, request);
    await acme.decide(ben, request);
    const pause = "SELECT paused_at IS NOT NULL AS paused FROM request_timer WHERE input_request_id = $1";
    expect(await acme.sql(pause, [request.id])).toEqual([{ paused: true }]);
    await hasInfo(cleo, request);
    expect(await acme.sql(pause, [request.id])).toEqual([{ paused: false }]);
    await acme.policy({ rules: [] });
  });

  test("ends when whoever was asked leaves, and the reminders go on, each at its time", async () => {
    const stage = { name: "One", approvers: { people: [ben.email] }, remind: ["1h", "4h"] };
    await acme.stages(stage);
    const otto = await acme.person("Otto", "operator");
    const [request, others] = [await asked({ requester: otto.userId }), await asked()];
    for (const one of [request, others]) await askRequester(ben, one);
    // As if all of it had begun two hours ago, and Otto had been asked ten minutes ago.
    await acme.sql(
      "UPDATE request_timer SET starts_at = starts_at - interval '2 hours', paused_at = now() - interval '10 minutes' WHERE input_request_id = $1",
      [request.id],
    );
    expect((await web.call("DELETE", `/api/v1/members/${otto.memberId}`, ana)).status).toBe(204);
    expect((await acme.read(ben, request)).needsInfo).toBeNull();
    expect((await acme.lines(request)).at(-1)).toMatchObject({
      type: "request.info_given",
      data: { via: "left", name: "Otto" },
    });
    const fired =
      "SELECT fired_at IS NOT NULL AS fired FROM request_timer WHERE input_request_id = $1 ORDER BY after";
    await fireDueTimers(acme.id, engine);
    await fireDueTimers(acme.id, engine);
    expect(await acme.sql(fired, [request.id])).toEqual([{ fired: true }, { fired: false }]);
    expect((await typesOf(request)).filter((type) => type === "request.reminded")).toHaveLength(1);
    const [later] = await acme.sql(
      "SELECT round(extract(epoch FROM due_at - now()) / 60)::integer AS minutes, paused_at FROM request_timer WHERE input_request_id = $1 AND fired_at IS NULL",
      [request.id],
    );
    expect(later.paused_at).toBeNull();
    expect(later.minutes).toBeGreaterThan(60);
    // Somebody else's waits on.
    expect((await acme.read(ben, others)).needsInfo.of.name).toBe("Ola");
    expect(await acme.sql(fired, [others.id])).toEqual([{ fired: false }, { fired: false }]);
    await acme.policy({ rules: [] });
  });

  test("and where nobody replies, the reminders come after a week, as far apart as ever", async () => {
    const stage = { name: "One", approvers: { people: [ben.email] }, remind: ["1h!", "4h!"] };
    await acme.stages(stage, { ...stage, name: "Two", approvers: { people: [cleo.email] } });
    const request = await asked();
    const hours = async () =>
      (
        await acme.sql(
          "SELECT round(extract(epoch FROM due_at - now()) / 3600)::integer AS hours FROM request_timer WHERE input_request_id = $1 AND fired_at IS NULL ORDER BY after",
          [request.id],
        )
      ).map((row) => row.hours);
    await askRequester(ben, request);
    expect(await hours()).toEqual([168, 171]);
    // The next stage's are paused from the start.
    await acme.decide(ben, request);
    expect(await hours()).toEqual([168, 171]);
    await acme.policy({ rules: [] });
  });
});

describe("a snooze", () => {
  const counts = async (who: Who) => (await web.call("GET", "/api/v1/input-requests/counts", who)).body;

  test("keeps a request from one's own list and count until then, and from nobody else's", async () => {
    const request = await asked();
    const before = await counts(ben);
    const reply = await snooze(ben, request);
    expect(reply.status).toBe(200);
    expect(Date.parse(reply.body.snoozedUntil)).toBeGreaterThan(Date.now());
    expect(await listed(ben, "waiting=me")).not.toContain(request.id);
    expect(await listed(ben, "state=open")).toContain(request.id);
    expect(await listed(ben, "snoozed=true")).toEqual([request.id]);
    expect(await listed(ben, "waiting=me&snoozed=true")).toEqual([request.id]);
    const snoozed = await web.call("GET", "/api/v1/input-requests/counts?snoozed=true", ben);
    expect(snoozed.body).toMatchObject({ waiting: 1, all: 1 });
    expect(await counts(ben)).toMatchObject({ waiting: before.waiting - 1, all: before.all });

    expect(await listed(cleo, "waiting=me")).toContain(request.id);
    expect(await listed(cleo, "snoozed=true")).toEqual([]);
    expect((await acme.read(cleo, request)).snoozedUntil).toBeNull();
    expect(await typesOf(request)).toEqual(["request.opened"]);
    // It keeps nobody from deciding.
    expect((await acme.decide(ben, request)).status).toBe(202);
  });

  test("gives back what is assigned to one: it waits for the others; in a private task it stays", async () => {
    const assign = async (request: { id: string }) =>
      expect(
        (await web.call("POST", at(request, "/assign"), { ...ana, body: { memberId: ben.memberId } })).status,
      ).toBe(200);
    await notify();
    const request = await asked();
    const hidden = await asked({ visibility: "private", requester: ana.userId });
    const others = await asked();
    await assign(request);
    await assign(hidden);
    await assign(others);
    expect(await listed(cleo, "waiting=me")).not.toContain(request.id);
    const replies = await Promise.all([request, request, hidden].map((each) => snooze(ben, each)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    await snooze(cleo, others);
    await notify();
    expect(await listed(ben, "waiting=me")).not.toContain(request.id);
    expect(await listed(cleo, "waiting=me")).toContain(request.id);
    expect(await told(request.id)).toContain("cleo request.waiting");
    const [, ...lines] = (await acme.lines(request)).filter(({ type }) => type === "request.assigned");
    expect(lines).toMatchObject([
      { actor: { kind: "member", id: ben.userId }, data: { userId: null, from: ben.userId } },
    ]);
    expect((await acme.read(ben, hidden)).assignedTo).toMatchObject({ name: "Ben" });
    expect((await acme.read(ben, others)).assignedTo).toMatchObject({ name: "Ben" });
    // Once it is over it waits for one as for the others.
    await acme.sql(
      "UPDATE request_snooze SET ends_at = now() - interval '1 second' WHERE input_request_id = $1",
      [request.id],
    );
    await run(SNOOZES);
    expect(await told(request.id)).toContain("ben request.woke");
    expect(await listed(ben, "waiting=me")).toContain(request.id);
  });

  test("is in no export of the organization, which others read", async () => {
    await snooze(ben, await asked());
    const text = await (await web.open("GET", "/api/v1/organization/export", ana)).text();
    expect(text).toContain('"kind":"input_request"');
    expect(text).not.toContain("request_snooze");
  });

  test("ends when one says so, when it is assigned to one, and when it is escalated to one", async () => {
    const request = await asked();
    await snooze(ben, request);
    const back = await web.call("DELETE", at(request, "/snooze"), ben);
    expect([back.status, back.body.snoozedUntil]).toEqual([200, null]);
    expect((await web.call("DELETE", at(request, "/snooze"), ben)).status).toBe(200);

    await snooze(ben, request);
    await snooze(cleo, request);
    await web.call("POST", at(request, "/assign"), { ...ana, body: { memberId: ben.memberId } });
    expect((await acme.read(ben, request)).snoozedUntil).toBeNull();
    expect((await acme.read(cleo, request)).snoozedUntil).not.toBeNull();

    await acme.stages({
      name: "One",
      approvers: { people: [ben.email] },
      escalate: { after: "1h", to: { people: [cleo.email] } },
    });
    const other = await asked();
    await snooze(cleo, other);
    await acme.sql(
      "UPDATE request_timer SET due_at = now() - interval '1 second' WHERE input_request_id = $1",
      [other.id],
    );
    await fireDueTimers(acme.id, engine);
    expect((await acme.read(cleo, other)).snoozedUntil).toBeNull();
    expect(await listed(cleo, "waiting=me")).toContain(other.id);
    await acme.policy({ rules: [] });
  });

  test("ends when it is assigned to one once more, and when to somebody for whom one stands in", async () => {
    const request = await asked();
    const assign = (note: string) =>
      web.call("POST", at(request, "/assign"), { ...ana, body: { memberId: ben.memberId, note } });
    expect((await assign("Please")).status).toBeLessThan(300);
    expect((await snooze(ben, request)).status).toBe(200);
    expect((await assign("Now it is urgent")).status).toBeLessThan(300);
    expect((await acme.read(ben, request)).snoozedUntil).toBeNull();

    const away = await web.call("PUT", "/api/v1/me/away", {
      ...ana,
      body: {
        from: new Date(Date.now() - 1_000).toISOString(),
        until: new Date(Date.now() + 3600_000).toISOString(),
        delegateUserId: ben.userId,
      },
    });
    expect(away.status).toBe(200);
    const other = await asked();
    await snooze(ben, other);
    await snooze(cleo, other);
    const key = await web.key(acme.id, "admin");
    const given = await web.call("POST", at(other, "/assign"), { key, body: { memberId: ana.memberId } });
    expect(given.status).toBe(200);
    expect(await listed(ben, "waiting=me")).toContain(other.id);
    expect((await acme.read(cleo, other)).snoozedUntil).not.toBeNull();
    expect((await web.call("DELETE", "/api/v1/me/away", ana)).status).toBeLessThan(300);
  });

  test("holds one's reminders back, and wakes with a notice: once, of two engines", async () => {
    await acme.stages({
      name: "One",
      approvers: { people: [ben.email, cleo.email] },
      need: 2,
      remind: ["4h"],
    });
    const request = await asked();
    await notify();
    expect(await told(request.id)).toEqual(["ben request.waiting", "cleo request.waiting"]);
    await snooze(ben, request);
    expect(await told(request.id)).toEqual(["cleo request.waiting"]);
    await acme.sql(
      "UPDATE request_timer SET due_at = now() - interval '1 second' WHERE input_request_id = $1",
      [request.id],
    );
    await fireDueTimers(acme.id, engine);
    await notify();
    expect(await told(request.id)).toEqual(["cleo request.reminded", "cleo request.waiting"]);
    // Nobody sees that Ben has put it off.
    expect((await acme.lines(request)).at(-1)).toMatchObject({
      type: "request.reminded",
      data: { of: ["Ben", "Cleo"] },
    });
    await acme.sql(
      "UPDATE request_snooze SET ends_at = now() - interval '1 second' WHERE input_request_id = $1",
      [request.id],
    );
    expect(await listed(ben, "waiting=me")).toContain(request.id);
    await Promise.all([run(SNOOZES), run(SNOOZES)]);
    expect(await told(request.id)).toEqual([
      "ben request.reminded",
      "ben request.woke",
      "cleo request.reminded",
      "cleo request.waiting",
    ]);
    // Once more from the start.
    await snooze(ben, request);
    await acme.sql(
      "UPDATE request_snooze SET ends_at = now() - interval '1 second' WHERE input_request_id = $1",
      [request.id],
    );
    await run(SNOOZES);
    expect(await told(request.id)).toContain("ben request.woke");
    await acme.policy({ rules: [] });
  });

  test("is a person's, of an open request, and within a year", async () => {
    const request = await asked();
    expect(codeOf(await snooze({ key: await web.key(acme.id, "owner") }, request))).toEqual([
      403,
      "forbidden",
    ]);
    expect(codeOf(await snooze(vic, request))).toEqual([403, "forbidden"]);
    for (const ms of [-1_000, 400 * 24 * 3600_000]) {
      const reply = await snooze(ben, request, ms);
      expect([reply.status, reply.body.errors[0].field]).toEqual([422, "until"]);
    }
    await acme.decide(cleo, request);
    expect(codeOf(await snooze(ben, request))).toEqual([409, "already_answered"]);
    const hidden = await asked({ visibility: "private" });
    expect((await snooze(ben, hidden)).status).toBe(404);
  });

  test("a draft keeps what was typed where the question is worded anew in place, and no choice", async () => {
    const request = await asked();
    const form = normaliseForm({
      type: "object",
      properties: { d: { type: "string", enum: ["1", "2"] }, note: { type: "string" } },
    });
    await acme.sql("UPDATE input_request SET form = $2 WHERE id = $1", [request.id, JSON.stringify(form)]);
    const content = { d: "1", note: "Ask Ola" };
    const saved = await web.call("PUT", at(request, "/draft"), { ...ben, body: { content, comment: "Hm" } });
    expect(saved.status).toBe(204);
    expect((await acme.read(ben, request)).draft).toMatchObject({ content, comment: "Hm" });
    await acme.sql("UPDATE input_request SET reworded_at = now() WHERE id = $1", [request.id]);
    expect((await acme.read(ben, request)).draft).toMatchObject({
      content: { note: "Ask Ola" },
      comment: "Hm",
    });
  });

  test("a draft of a page that shows the wording before keeps no choice either", async () => {
    const request = await asked();
    const form = normaliseForm({
      type: "object",
      properties: { d: { type: "string", enum: ["1", "2"] }, note: { type: "string" } },
    });
    await acme.sql(
      "UPDATE input_request SET form = $2, reworded_at = now() - interval '1 second' WHERE id = $1",
      [request.id, JSON.stringify(form)],
    );
    const content = { d: "1", note: "Ask Ola" };
    const { questionHash } = await acme.read(ben, request);
    const save = (hash: string) =>
      web.call("PUT", at(request, "/draft"), { ...ben, body: { content, questionHash: hash } });
    expect((await save(questionHash)).status).toBe(204);
    expect((await acme.read(ben, request)).draft).toMatchObject({ content });
    expect((await save("0".repeat(64))).status).toBe(204);
    expect((await acme.read(ben, request)).draft).toMatchObject({ content: { note: "Ask Ola" } });
  });

  test("ends where the question is worded anew in place", async () => {
    const request = await asked();
    await askRequester(ben, request);
    await snooze(ben, request);
    await acme.sql("UPDATE input_request SET reworded_at = now() WHERE id = $1", [request.id]);
    expect(await acme.read(ben, request)).toMatchObject({ snoozedUntil: null, needsInfo: null });
  });
});
