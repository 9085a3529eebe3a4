/** Timers of requests: each fires once, with its effect, and none outlives what it is about. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type VotingOrganization, votingForFile, votingOrganization } from "../../../test/voting.ts";
import { webForFile } from "../../../test/web.ts";
import { addByMinutes } from "../../../test/working-minutes.ts";
import { createDatabase, type Database, Prisma } from "../../base/db/db.ts";
import { NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { calendarSchema } from "../../policy/calendar/calendar-schema.ts";
import { captureQuestion } from "../../requests/capture/capture-question.ts";
import { countHistory } from "../../requests/statistics/statistics-writes.ts";
import { type DueTimer, dueTimers, moveTimers } from "../../requests/timers/timer-writes.ts";
import { fireDueTimers, fireTimer } from "./fire-timers.ts";

const web = webForFile();
let engines: [Database, Database];
const { acme, ana, ben, cleo, dora } = votingForFile(web, "acme", {
  ana: "owner",
  ben: "approver",
  cleo: "approver",
  dora: "approver",
});

beforeAll(async () => {
  engines = [1, 2].map(() => createDatabase(web.database.engineUrl, { connections: 4 })) as [
    Database,
    Database,
  ];
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
});
beforeEach(async () => {
  await acme.sql("DELETE FROM request_timer");
  await acme.sql("DELETE FROM working_calendar");
});

const finance = (more: object = {}) => ({
  name: "Finance",
  approvers: { people: [ben.email, cleo.email] },
  need: 2,
  ...more,
});
const cfo = (more: object = {}) => ({ name: "CFO", approvers: { people: [ana.email] }, ...more });
const rule = (stages: object[], more: object = {}) => ({ rules: [{ name: "All", stages, ...more }] });
/** As text: no object may have a `then`. */
const expire = (after: string, outcome: "leave" | "cancel") =>
  JSON.parse(`{ "expire": { "after": "${after}", "then": "${outcome}" } }`) as object;

interface Row {
  id: string;
  kind: string;
  stage: number | null;
  after: string;
  starts_at: Date;
  due_at: Date;
  fired_at: Date | null;
}
const timers = (request: { id: string }): Promise<Row[]> =>
  acme.sql(
    "SELECT * FROM request_timer WHERE input_request_id = $1 ORDER BY stage NULLS LAST, kind DESC, due_at",
    [request.id],
  );
const pending = async (request: { id: string }) =>
  (await timers(request)).filter(({ fired_at }) => fired_at === null);
const kinds = async (request: { id: string }) =>
  (await pending(request)).map(({ kind, stage, after }) => [kind, stage, after]);
/** Makes the request's timers due now. */
const comes = (request: { id: string }, kind = "%") =>
  acme.sql(
    "UPDATE request_timer SET due_at = now() - interval '1 second' WHERE input_request_id = $1 AND kind LIKE $2 AND fired_at IS NULL",
    [request.id, kind],
  );
const fire = (engine = engines[0]) => fireDueTimers(acme.id, engine);
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const typesOf = async (request: { id: string }) => (await acme.lines(request)).map(({ type }) => type);
const notify = () => NOTICES.run({ database: engines[0] } as Parameters<typeof NOTICES.run>[0], acme.id);
const told = async (request: { id: string }) =>
  (
    await acme.sql(
      `SELECT n.user_id, n.cause, n.read_at FROM notice n WHERE n.subject = $1 AND n.withdrawn_at IS NULL ORDER BY n.cause`,
      [request.id],
    )
  ).map((row) => [names.get(row.user_id), row.cause]);
const names = new Map<string, string>();
beforeAll(() => {
  for (const [name, { userId }] of Object.entries({ ana, ben, cleo, dora })) names.set(userId, name);
});

describe("a request has the timers of its rule", () => {
  test("from when it was asked, and those of a later stage from when that opens", async () => {
    await acme.policy(
      rule(
        [
          finance({ remind: ["4h", "1d"], escalate: { after: "2d", to: { people: [dora.email] } } }),
          cfo({ remind: ["1h"] }),
        ],
        {
          due: "3d",
          ...expire("30d", "leave"),
        },
      ),
    );
    const request = await asked();
    expect(await kinds(request)).toEqual([
      ["remind", 0, "4h"],
      ["remind", 0, "1d"],
      ["escalate", 0, "2d"],
      ["expire", null, "30d"],
    ]);
    const [first] = await timers(request);
    expect(first!.due_at.getTime() - first!.starts_at.getTime()).toBe(4 * 3600_000);
    const { approval } = await acme.read(ben, request);
    expect(Date.parse(approval.dueAt) - first!.starts_at.getTime()).toBe(72 * 3600_000);
    expect(approval.timers).toMatchObject([
      { kind: "remind", stage: "Finance", at: first!.due_at.toISOString() },
      { kind: "remind", stage: "Finance" },
      { kind: "escalate", stage: "Finance" },
      { kind: "leave", stage: null },
    ]);

    await acme.decide(ben, request);
    expect(await kinds(request)).toHaveLength(4);
    await acme.decide(cleo, request);
    expect(await kinds(request)).toEqual([
      ["remind", 1, "1h"],
      ["expire", null, "30d"],
    ]);
    await acme.decide(ana, request, { holdMs: 60_000 });
    expect(await timers(request)).toEqual([]);

    // What is undone has the timers that it had.
    await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { cookie: ana.cookie });
    expect(await kinds(request)).toEqual([
      ["remind", 1, "1h"],
      ["expire", null, "30d"],
    ]);
    expect((await timers(request)).at(-1)!.starts_at).toEqual(first!.starts_at);
  });

  test("and after an undo people have time, though the request's was nearly over", async () => {
    await acme.policy(rule([finance({ need: 1 })], expire("30d", "cancel")));
    const request = await asked();
    await acme.decide(ben, request, { holdMs: 60_000 });
    // As if it had been asked 30 days ago.
    await acme.sql(
      `UPDATE input_request SET approval = jsonb_set(approval, '{askedAt}', to_jsonb(now() - interval '30 days')) WHERE id = $1`,
      [request.id],
    );
    await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { cookie: ben.cookie });
    const [end] = await timers(request);
    expect(end!.due_at.getTime() - Date.now()).toBeGreaterThan(50 * 60_000);
  });

  test("but an end is put off once, however often somebody decides and undoes", async () => {
    await acme.policy(rule([finance({ need: 1 })], expire("30d", "cancel")));
    const request = await asked();
    await acme.sql(
      `UPDATE input_request SET approval = jsonb_set(approval, '{askedAt}', to_jsonb(now() - interval '30 days')) WHERE id = $1`,
      [request.id],
    );
    const ends: Date[] = [];
    for (let round = 0; round < 3; round++) {
      await acme.decide(ben, request, { holdMs: 60_000 });
      await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { cookie: ben.cookie });
      ends.push((await timers(request))[0]!.due_at);
    }
    expect(ends[0]!.getTime() - Date.now()).toBeGreaterThan(50 * 60_000);
    expect(ends).toEqual([ends[0], ends[0], ends[0]]);
    // Nor does a change of the calendar take the hour away.
    await acme.sql(
      `UPDATE working_calendar SET version = version + 1, changed_at = now(), changed_by = '{}'`,
    );
    await fire();
    expect((await timers(request)).map(({ due_at, fired_at }) => [due_at, fired_at])).toEqual([
      [ends[0], null],
    ]);
    // Once that time has come, an undo puts nothing off.
    await acme.decide(ben, request, { holdMs: 60_000 });
    await acme.sql(
      `UPDATE input_request SET approval = jsonb_set(approval, '{putOffTo}', to_jsonb(now() - interval '1 minute')) WHERE id = $1`,
      [request.id],
    );
    await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { cookie: ben.cookie });
    await fire();
    expect(await pending(request)).toEqual([]);
    expect(await typesOf(request)).toContain("request.lapsed");
  });

  test("and none without", async () => {
    await acme.policy(rule([finance()]));
    const request = await asked();
    expect(await timers(request)).toEqual([]);
    expect((await acme.read(ben, request)).approval).toMatchObject({
      timers: [],
      dueAt: null,
      lapsedAt: null,
    });
    expect(await acme.sql("SELECT FROM working_calendar")).toEqual([]);
  });

  test("which end when it is withdrawn, or its question is another one", async () => {
    await acme.policy(rule([finance({ remind: ["4h"] })], expire("30d", "cancel")));
    const task = await acme.task();
    const request = await acme.ask(task, { key: "k" });
    await web.db.withOrganization(acme.id, (tx) =>
      captureQuestion(tx, task, {
        question: {
          mode: "form",
          message: "Another?",
          requestedSchema: { type: "object", properties: { a: { type: "string" } } },
          url: null,
          address: { kind: "key", key: "k" },
        },
        key: "k",
        rpc: null,
        lifetimeMs: null,
      }),
    );
    expect(await timers(request)).toEqual([]);
    const [other] = await acme.sql("SELECT id FROM input_request WHERE task_id = $1 AND state = 'open'", [
      task,
    ]);
    expect(await kinds(other)).toHaveLength(2);
    const key = await web.key(acme.id, "operator");
    await web.call("POST", `/api/v1/tasks/${task}/cancel`, { key });
    expect(await timers(other)).toEqual([]);
  });

  test("which end with the votes, when other content brings a stage back", async () => {
    const text = { type: "object", properties: { note: { type: "string" } }, required: ["note"] };
    await acme.policy(rule([finance({ remind: ["4h"] }), cfo({ remind: ["1h"] })]));
    const request = await acme.ask(await acme.task(), { schema: text });
    for (const who of [ben, cleo]) await acme.decide(who, request, { content: { note: "a" } });
    expect(await kinds(request)).toEqual([["remind", 1, "1h"]]);
    await acme.decide(ana, request, { content: { note: "b" }, proposes: true });
    expect(await kinds(request)).toEqual([["remind", 0, "4h"]]);
  });
});

test("a request that is asked again after its answer was not delivered begins anew, with all its times", async () => {
  await acme.policy(
    rule([finance({ need: 1, remind: ["4h"] }), cfo({ remind: ["1h"] })], {
      due: "3d",
      ...expire("30d", "leave"),
    }),
  );
  const task = await acme.task();
  const request = await acme.ask(task, { key: "k" });
  const [first] = await timers(request);
  await acme.decide(ben, request);
  await acme.decide(ana, request);
  await acme.sql(
    "UPDATE input_request SET state = 'undeliverable', ended_at = now(), ended_reason = 'not_asked_again' WHERE id = $1",
    [request.id],
  );
  expect(await pending(request)).toEqual([]);
  const again = await acme.ask(task, { key: "k" });
  expect(again.id).toBe(request.id);
  expect(await kinds(request)).toEqual([
    ["remind", 0, "4h"],
    ["expire", null, "30d"],
  ]);
  for (const { starts_at } of await pending(request))
    expect(starts_at.getTime()).toBeGreaterThan(first!.starts_at.getTime());
  const { approval } = await acme.read(ben, request);
  expect(Date.parse(approval.dueAt)).toBeGreaterThan(first!.starts_at.getTime() + 72 * 3600_000);
});

test("what people should have decided by now is listed and counted", async () => {
  await acme.policy(rule([finance()], { due: "3d" }));
  const [late] = [await asked(), await asked()];
  await acme.sql(
    `UPDATE input_request SET approval = jsonb_set(approval, '{dueAt}', '"2026-01-01T00:00:00.000Z"') WHERE id = $1`,
    [late.id],
  );
  const { items } = (await web.call("GET", "/api/v1/input-requests?overdue=true", { cookie: ben.cookie }))
    .body;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([late.id]);
  const counts = await web.call("GET", "/api/v1/input-requests/counts?overdue=true", { cookie: ben.cookie });
  expect(counts.body).toMatchObject({ all: 1, waiting: 1 });
  expect((await web.call("GET", "/api/v1/input-requests?overdue=maybe", { cookie: ben.cookie })).status).toBe(
    422,
  );
  await acme.decide(ben, late, { holdMs: 60_000 });
  await acme.decide(cleo, late, { holdMs: 60_000 });
  const none = await web.call("GET", "/api/v1/input-requests?overdue=true", { cookie: ben.cookie });
  expect(none.body.items).toEqual([]);
});

test("what people should decide on first comes first, page by page, then what no rule gives a time", async () => {
  const other = await votingOrganization(web, "by-due");
  const viewer = { key: await web.key(other.id, "viewer") };
  const owner = await other.person("Olga", "owner");
  const stages = [{ name: "One", approvers: { people: [owner.email] } }];
  const named = new Map<string, string>();
  const ask = async (name: string, due: string | null) => {
    await other.policy({ rules: [{ name: "All", stages, due }] });
    const { id } = await other.ask(await other.task());
    named.set(id, name);
    return id;
  };
  await ask("no time, first", null);
  await ask("in 3 days", "3d");
  await ask("in 2 hours", "2h");
  await ask("no time, last", null);
  await ask("in 1 day", "1d");
  const moved = await ask("moved to the front", "4d");
  await other.sql(
    `UPDATE input_request SET approval = jsonb_set(approval, '{dueAt}', to_jsonb(now() + interval '1 minute')) WHERE id = $1`,
    [moved],
  );
  const read = async (query: string) =>
    (await web.call("GET", `/api/v1/input-requests?order=due${query}`, viewer)).body;
  const expected = [
    "moved to the front",
    "in 2 hours",
    "in 1 day",
    "in 3 days",
    "no time, first",
    "no time, last",
  ];
  for (const limit of [1, 2, 4, 10]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: { id: string }[]; nextCursor: string | null } = await read(
        `&limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`,
      );
      seen.push(...page.items.map(({ id }) => named.get(id)!));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(expected);
  }
  // Judged again by a policy without a time, or answered: in its place.
  await other.sql("UPDATE input_request SET approval = NULL WHERE id = $1", [moved]);
  const first = (await read("&limit=1")).items[0];
  expect(named.get(first.id)).toBe("in 2 hours");
});

test("the overview tells of each rule what is overdue, and how it was decided", async () => {
  const other = await votingOrganization(web, "by-rule");
  const [olga, ada] = [await other.person("Olga", "owner"), await other.person("Ada", "approver")];
  const key = await web.key(other.id, "viewer");
  const stages = [
    { name: "Finance", approvers: { people: [ada.email] } },
    { name: "Owner", approvers: { people: [olga.email] } },
  ];
  await other.policy({ rules: [{ name: "Large", stages, due: "3d" }] });
  const [decided, undone, late] = [
    await other.ask(await other.task()),
    await other.ask(await other.task()),
    await other.ask(await other.task()),
  ];
  for (const request of [decided, undone]) {
    await other.decide(ada, request);
    await other.decide(olga, request, { holdMs: 60_000 });
  }
  await web.call("POST", `/api/v1/input-requests/${undone.id}/undo`, { cookie: olga.cookie });
  await other.sql(
    `UPDATE input_request SET approval = jsonb_set(approval, '{dueAt}', '"2026-01-01T00:00:00.000Z"') WHERE id = $1`,
    [late.id],
  );
  await engines[0].withOrganization(other.id, (tx) => countHistory(tx, 1_000));
  const { status, body } = await web.call("GET", "/api/v1/overview?range=24h", { key });
  expect([status, body.now.overdue]).toEqual([200, 1]);
  expect(body.rules).toMatchObject([
    {
      rule: "Large",
      overdue: 1,
      count: 1,
      due: 1,
      within: 1,
      stages: [
        { stage: "Finance", count: 1 },
        { stage: "Owner", count: 1 },
      ],
    },
  ]);
  // Another organization has none of it.
  const elsewhere = await web.key(acme.id, "viewer");
  const theirs = (await web.call("GET", "/api/v1/overview?range=24h", { key: elsewhere })).body;
  expect(theirs.rules.map(({ rule: name }: { rule: string }) => name)).not.toContain("Large");
});

describe("a timer", () => {
  test("reminds those whose vote is missing, each time anew", async () => {
    await acme.policy(rule([finance({ remind: ["4h", "1d"] })]));
    // Who follows the history begins now.
    await notify();
    const request = await asked();
    await acme.decide(ben, request);
    await notify();
    expect(await told(request)).toEqual([["cleo", "request.waiting"]]);
    await acme.sql(
      "UPDATE request_timer SET due_at = now() - interval '1 second' WHERE input_request_id = $1 AND after = '4h'",
      [request.id],
    );
    await fire();
    await notify();
    expect(await told(request)).toEqual([
      ["cleo", "request.reminded"],
      ["cleo", "request.waiting"],
    ]);
    expect((await acme.read(ben, request)).approval.stages[0]).toMatchObject({
      reminded: [{ of: ["Cleo"] }],
    });
    await acme.sql("UPDATE notice SET read_at = now() WHERE subject = $1", [request.id]);
    await comes(request);
    await fire();
    await notify();
    const again = await acme.sql(
      "SELECT read_at FROM notice WHERE subject = $1 AND cause = 'request.reminded'",
      [request.id],
    );
    expect(again).toEqual([{ read_at: null }]);
    const reminders = (await acme.lines(request)).filter(({ type }) => type === "request.reminded");
    expect(reminders.map(({ data }) => data)).toMatchObject([
      { stage: "Finance", of: ["Cleo"], after: "4h", rule: "All" },
      { after: "1d" },
    ]);
    // Who votes is reminded of nothing any more.
    await acme.decide(cleo, request);
    await notify();
    expect(await told(request)).toEqual([]);
  });

  test("adds people to the stage that is open, and replaces nobody", async () => {
    await acme.policy(
      rule([
        finance({ escalate: { after: "2d", to: { roles: ["owner"], people: [dora.email, ben.email] } } }),
      ]),
    );
    const request = await asked();
    expect((await acme.decide(dora, request)).body.code).toBe("not_an_approver");
    await comes(request);
    await fire();
    await notify();
    expect((await acme.read(dora, request)).approval).toMatchObject({
      canVote: true,
      timers: [],
      stages: [{ need: 2, escalated: [{ to: ["the owners", "Dora"] }] }],
    });
    expect((await told(request)).map(([name]) => name).sort()).toEqual(["ana", "ben", "cleo", "dora"]);
    expect((await acme.lines(request)).find(({ type }) => type === "request.escalated")!.data).toMatchObject({
      stage: "Finance",
      to: ["the owners", "Dora"],
      people: [dora.userId],
    });
    expect((await acme.decide(dora, request)).status).toBe(202);
    expect((await acme.decide(ben, request)).body.state).toBe("answered");
  });

  test("asks others of what one person has: their assignment ends, and a claim that has lapsed", async () => {
    await acme.policy(rule([finance({ escalate: { after: "2d", to: { people: [dora.email] } } })]));
    const assigned = async (more = {}) => {
      const request = await asked(more);
      const reply = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
        cookie: ana.cookie,
        body: { memberId: ben.memberId },
      });
      expect(reply.status).toBe(200);
      expect((await web.call("POST", `/api/v1/input-requests/${request.id}/claim`, ben)).status).toBe(200);
      return request;
    };
    await notify();
    const [idle, live] = [await assigned(), await assigned()];
    const hidden = await assigned({ visibility: "private", requester: ana.userId });
    await acme.sql("UPDATE claim SET active_at = now() - interval '1 hour' WHERE input_request_id = $1", [
      idle.id,
    ]);
    for (const request of [idle, live, hidden]) await comes(request);
    await fire();
    await notify();
    const holders = async (request: { id: string }) => {
      const { assignedTo, claimedBy } = await acme.read(ben, request);
      return [assignedTo?.name ?? null, claimedBy?.name ?? null];
    };
    expect(await holders(idle)).toEqual([null, null]);
    expect(await acme.sql("SELECT FROM claim WHERE input_request_id = $1", [idle.id])).toEqual([]);
    // Who works on it goes on; the others see it as soon as they stop.
    expect(await holders(live)).toEqual([null, "Ben"]);
    // Of a private task the assignee sees nothing without it.
    expect((await holders(hidden))[0]).toBe("Ben");
    expect((await told(idle)).map(([name]) => name).sort()).toEqual(["ben", "cleo", "dora"]);
    const list = await web.call("GET", "/api/v1/input-requests?waiting=me", dora);
    expect(list.body.items.map(({ id }: { id: string }) => id)).toContain(idle.id);
    expect((await acme.lines(idle)).slice(-2)).toMatchObject([
      { type: "request.assigned", data: { userId: null, from: ben.userId } },
      { type: "request.escalated" },
    ]);
  });

  test("leaves a request whose time is over as it is, and reminds nobody any more", async () => {
    await acme.policy(rule([finance({ remind: ["40d"] }), cfo({ remind: ["1h"] })], expire("30d", "leave")));
    const request = await asked();
    await comes(request, "expire");
    await fire();
    expect(await pending(request)).toEqual([]);
    const { approval, state, task } = await acme.read(ben, request);
    expect([approval.lapsedAt !== null, state, task.cancelRequestedAt]).toEqual([true, "open", null]);
    expect(await typesOf(request)).toEqual(["request.opened", "request.lapsed"]);
    // It can still be decided, and the next stage has no timers.
    for (const who of [ben, cleo]) expect((await acme.decide(who, request)).status).toBe(202);
    expect(await timers(request)).toHaveLength(1);
    expect((await acme.decide(ana, request)).body.state).toBe("answered");
  });

  test("is said to be of the rule that says it, also where one that can't be applied comes first", async () => {
    const odd = { name: "Odd", when: "task.arguments.limit > 3.0", stages: [cfo()] };
    const ends = { name: "Ends", stages: [finance()], ...expire("30d", "cancel") };
    await acme.policy({ rules: [odd, ends] });
    const cancelledBy = async (taskId: string, request: { id: string }) => {
      await comes(request, "expire");
      await fire();
      const [lapsed] = await acme.sql(
        "SELECT data FROM event WHERE input_request_id = $1 AND type = 'request.lapsed'",
        [request.id],
      );
      const [row] = await acme.sql("SELECT cancel_requested_by ->> 'name' AS name FROM task WHERE id = $1", [
        taskId,
      ]);
      return [lapsed.data.rule, row.name];
    };
    const task = await acme.task({ state: "input_required" });
    const request = await acme.ask(task);
    const { rule: first, version } = (await acme.read(ben, request)).approval;
    expect(first).toBe("Odd");
    expect(await cancelledBy(task, request)).toEqual(["Ends", `Rule “Ends”, version ${version}`]);
    // A request that was asked before has no name beside its end.
    const before = await acme.task({ state: "input_required" });
    const old = await acme.ask(before);
    await acme.sql("UPDATE input_request SET approval = approval #- '{expire,rule}' WHERE id = $1", [old.id]);
    expect(await cancelledBy(before, old)).toEqual(["Odd", `Rule “Odd”, version ${version}`]);
  });

  test("cancels the task where the rule says so, by the rule, and answers nothing", async () => {
    await acme.policy(rule([finance()], expire("30d", "cancel")));
    const task = await acme.task({ state: "input_required" });
    const request = await acme.ask(task);
    await acme.decide(ben, request);
    await comes(request);
    await fire();
    const [row] = await acme.sql("SELECT cancel_requested_at, cancel_requested_by FROM task WHERE id = $1", [
      task,
    ]);
    expect(row.cancel_requested_at).not.toBeNull();
    expect(row.cancel_requested_by).toMatchObject({
      kind: "engine",
      name: expect.stringContaining("Rule “All”"),
    });
    expect(await acme.answers(request)).toEqual([]);
    expect(await acme.sql("SELECT FROM delivery WHERE input_request_id = $1", [request.id])).toEqual([]);
    expect((await acme.read(ben, request)).state).toBe("withdrawn");
    const lines = await acme.sql("SELECT type, data FROM event WHERE task_id = $1 ORDER BY seq", [task]);
    expect(lines.slice(-3).map(({ type, data }) => [type, data.rule, data.cancels])).toEqual([
      ["request.lapsed", "All", true],
      ["task.cancel_requested", "All", undefined],
      ["request.withdrawn", undefined, undefined],
    ]);
  });

  test("cancels what a program asks, which learns that nobody decided", async () => {
    await acme.policy(rule([finance()], expire("30d", "cancel")));
    const key = await web.key(acme.id, "operator");
    const body = { kind: "approval", message: "Pay INV-100?" };
    const { body: made } = await web.call("POST", "/api/v1/requests", { key, body });
    const [row] = await acme.sql("SELECT input_request_id AS id FROM request_timer WHERE fired_at IS NULL");
    await comes(row);
    await fire();
    const { state, outcome } = (await web.call("GET", `/api/v1/requests/${made.id}`, { key })).body;
    expect([state, outcome]).toEqual(["ended", "cancelled"]);
  });

  test("of an answer that is held cancels nothing", async () => {
    await acme.policy(rule([finance({ need: 1 })], expire("30d", "cancel")));
    const task = await acme.task({ state: "input_required" });
    const request = await acme.ask(task);
    await acme.decide(ben, request, { holdMs: 60_000 });
    await fire();
    const [row] = await acme.sql("SELECT cancel_requested_at FROM task WHERE id = $1", [task]);
    expect(row.cancel_requested_at).toBeNull();
  });

  test("expires nothing by a rule that could not be applied", async () => {
    const { rules } = rule([finance()], { when: "task.arguments.limit > 3.0", ...expire("1d", "cancel") });
    await acme.policy({ rules });
    const request = await asked();
    expect((await acme.read(ben, request)).approval.failed).toHaveLength(1);
    expect(await timers(request)).toEqual([]);
  });
});

describe("fires once", () => {
  const both = () => finance({ remind: ["4h"], escalate: { after: "4h", to: { people: [dora.email] } } });

  test("by two engines at once", async () => {
    await acme.policy(rule([both()], expire("4h", "leave")));
    const requests = await Promise.all([1, 2, 3, 4].map(() => asked()));
    for (const request of requests) await comes(request);
    await Promise.all([fire(engines[0]), fire(engines[1]), fire(engines[0]), fire(engines[1])]);
    for (const request of requests) {
      const types = await typesOf(request);
      for (const type of ["request.lapsed"]) expect(types.filter((each) => each === type)).toHaveLength(1);
      for (const type of ["request.reminded", "request.escalated"])
        expect(types.filter((each) => each === type).length).toBeLessThanOrEqual(1);
      expect(await pending(request)).toEqual([]);
    }
  });

  test("by many who try the same one", async () => {
    await acme.policy(rule([finance({ remind: ["4h"] })]));
    const request = await asked();
    await comes(request);
    const [due] = (await engines[0].withOrganization(acme.id, (tx) => dueTimers(tx, 1))) as [DueTimer];
    const tries = [0, 1, 0, 1].map((at) =>
      engines[at]!.withOrganization(acme.id, (tx) => fireTimer(tx, due)),
    );
    await Promise.all(tries);
    expect((await typesOf(request)).filter((type) => type === "request.reminded")).toHaveLength(1);
  });

  test("although the engine died in the middle: what was not committed has not happened", async () => {
    await acme.policy(rule([both()]));
    const request = await asked();
    await comes(request);
    const due = await engines[0].withOrganization(acme.id, (tx) => dueTimers(tx, 2));
    for (const timer of due)
      await expect(
        engines[0].withOrganization(acme.id, async (tx) => {
          await fireTimer(tx, timer);
          throw new Error("killed");
        }),
      ).rejects.toThrow("killed");
    expect(await typesOf(request)).toEqual(["request.opened"]);
    expect((await acme.decide(dora, request)).body.code).toBe("not_an_approver");
    await fire(engines[1]);
    expect((await typesOf(request)).toSorted()).toEqual([
      "request.escalated",
      "request.opened",
      "request.reminded",
    ]);
  });

  test("or not at all, beside the vote that settles the matter", async () => {
    await acme.policy(rule([finance({ need: 1 })], expire("4h", "cancel")));
    for (let round = 0; round < 6; round++) {
      const task = await acme.task({ state: "input_required" });
      const request = await acme.ask(task);
      await comes(request);
      const [answer] = await Promise.all([acme.decide(ben, request, { holdMs: 60_000 }), fire()]);
      const [row] = await acme.sql(
        "SELECT cancel_requested_at IS NOT NULL AS cancelled FROM task WHERE id = $1",
        [task],
      );
      const answers = await acme.answers(request);
      // Whoever came first.
      expect([answer.status === 202, answers.length]).toEqual(row.cancelled ? [false, 0] : [true, 1]);
      expect(await pending(request)).toEqual([]);
    }
  });

  test("and a stage that another process moved has no timer of the one before", async () => {
    await acme.policy(rule([finance({ remind: ["4h"] }), cfo()]));
    const request = await asked();
    await acme.sql(
      `UPDATE input_request SET approval = jsonb_set(approval, '{open,stage}', '1') WHERE id = $1`,
      [request.id],
    );
    await comes(request);
    await fire();
    expect(await timers(request)).toEqual([]);
    expect(await typesOf(request)).toEqual(["request.opened"]);
  });
});

describe("the working calendar", () => {
  const week = (from: string, to: string) =>
    Object.fromEntries(["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map((day) => [day, [{ from, to }]]));
  const save = async (calendar: object | null) => {
    const key = await web.key(acme.id, "admin");
    const { version } = (await web.call("GET", "/api/v1/calendar", { key })).body;
    const headers = { "if-match": String(version) };
    const saved = await web.call("PUT", "/api/v1/calendar", { key, body: { calendar }, headers });
    expect(saved.status).toBe(200);
  };
  const hours = async (request: { id: string }) =>
    (await pending(request)).map(({ kind, due_at, starts_at }) => [
      kind,
      Math.round((due_at.getTime() - starts_at.getTime()) / 3600_000),
    ]);

  test("moves the times of what is open, and counts those of what is asked then", async () => {
    await acme.policy(rule([finance({ remind: ["4h!", "48h"] })], { due: "48h", ...expire("96h", "leave") }));
    const before = await asked();
    expect((await hours(before)).map(([, each]) => each)).toEqual([4, 48, 96]);
    // Half of each day.
    await save({ zone: "UTC", days: week("00:00", "12:00") });
    await fire();
    const after = await asked();
    for (const request of [before, after]) {
      const [clock, remind, end] = (await hours(request)).map(([, each]) => each as number);
      expect(clock).toBe(4);
      expect(Math.abs(remind! - 96)).toBeLessThanOrEqual(12);
      expect(Math.abs(end! - 192)).toBeLessThanOrEqual(12);
      const { approval, createdAt } = await acme.read(ben, request);
      expect(
        Math.abs(Date.parse(approval.dueAt) - Date.parse(createdAt) - 96 * 3600_000),
      ).toBeLessThanOrEqual(12 * 3600_000);
    }
    await save(null);
    await fire();
    expect((await hours(after)).map(([, each]) => each)).toEqual([4, 48, 96]);
    // Nothing is left to follow.
    const due = await engines[0].gate<{ id: string }>(
      Prisma.sql`SELECT id FROM gate.organizations_with_due_timers()`,
    );
    expect(due).toEqual([]);
  });

  test("whose changes come one after the other leaves each time where counting minutes says, also where clocks change", async () => {
    await acme.policy(rule([finance({ remind: ["3h", "2d"] })], { due: "5h", ...expire("1w", "leave") }));
    const starts = ["2026-10-23T14:00Z", "2026-03-27T22:30Z", "2026-11-01T05:30Z"].map(
      (text) => new Date(text),
    );
    const requests = await Promise.all(starts.map(() => asked()));
    for (const [at, { id }] of requests.entries()) {
      const start = starts[at]!;
      await acme.sql(
        "UPDATE request_timer SET starts_at = $2::timestamptz, due_at = $2::timestamptz + interval '10 years' WHERE input_request_id = $1",
        [id, start],
      );
      await acme.sql(
        "UPDATE input_request SET approval = jsonb_set(approval, '{askedAt}', to_jsonb($2::text)) WHERE id = $1",
        [id, start.toISOString()],
      );
    }
    const calendars = [
      { zone: "Europe/Berlin", days: week("00:30", "03:30") },
      {
        zone: "America/New_York",
        days: week("00:00", "24:00"),
        holidays: [{ date: "2026-11-02", name: "Off" }],
      },
      { zone: "Australia/Lord_Howe", days: week("01:45", "02:15") },
      { zone: "Europe/Berlin", days: { ...week("09:00", "17:00"), sun: [{ from: "02:10", to: "02:50" }] } },
    ];
    for (const given of calendars) {
      await save(given);
      // The times that have come by now are not fired meanwhile: the move alone is looked at.
      await engines[0].withOrganization(acme.id, (tx) => moveTimers(tx, null));
      const calendar = calendarSchema.parse(given);
      for (const [at, request] of requests.entries()) {
        for (const timer of await pending(request))
          expect([given.zone, timer.after, timer.due_at]).toEqual([
            given.zone,
            timer.after,
            addByMinutes(calendar, timer.starts_at, timer.after),
          ]);
        const { approval } = await acme.read(ben, request);
        expect(approval.dueAt).toBe(addByMinutes(calendar, starts[at]!, "5h").toISOString());
      }
    }
  });

  test("moves what is written at the same time, too", async () => {
    await acme.policy(rule([finance({ remind: ["48h"] })]));
    const tasks = await Promise.all(Array.from({ length: 6 }, () => acme.task()));
    await save({ zone: "UTC", days: week("06:00", "07:00") });
    const [requests] = await Promise.all([
      Promise.all(tasks.map((task) => acme.ask(task))),
      save({ zone: "UTC", days: week("00:00", "12:00") }),
    ]);
    await fire();
    for (const request of requests) {
      const [[, remind]] = (await hours(request)) as [[string, number]];
      expect(Math.abs(remind - 96)).toBeLessThanOrEqual(12);
    }
  });
});

test("another organization sees none of it", async () => {
  await acme.policy(rule([finance({ remind: ["4h"] })]));
  const request = await asked();
  await comes(request);
  const other = await web.organization("other");
  expect(await engines[0].withOrganization(other, (tx) => tx.requestTimer.count())).toBe(0);
  await fireDueTimers(other, engines[0]);
  expect(await pending(request)).toHaveLength(1);
  const key = await web.key(other, "admin");
  expect((await web.call("GET", `/api/v1/input-requests/${request.id}`, { key })).status).toBe(404);
});
