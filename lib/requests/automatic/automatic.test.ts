/** Rules that answer by themselves: which requests they have, what is compared with people, and that there is one answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type VotingOrganization, votingForFile } from "../../../test/voting.ts";
import { webForFile } from "../../../test/web.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { captureQuestion } from "../capture/capture-question.ts";
import { judgeDecision, judgeWaiting } from "./judge-waiting.ts";

const web = webForFile();
let engines: [Database, Database];
const { acme, ana, ben, cleo } = votingForFile(web, "acme", { ana: "owner", ben: "approver", cleo: "admin" });
/** Deletes all requests, and what is about them. */
let noRequests: string;

beforeAll(async () => {
  engines = [1, 2].map(() => createDatabase(web.database.engineUrl, { connections: 6 })) as [
    Database,
    Database,
  ];
});
beforeAll(async () => {
  const emptied = await acme.sql(`WITH RECURSIVE of (name) AS (SELECT 'input_request'::regclass::oid
      UNION SELECT conrelid FROM pg_constraint JOIN of ON confrelid = of.name AND contype = 'f')
    SELECT name::regclass::text AS name FROM of`);
  // As TRUNCATE input_request CASCADE, which takes twenty times as long for a few rows.
  const deletes = emptied.map(({ name }) => `DELETE FROM ${name}`).join("; ");
  noRequests = `BEGIN; SET LOCAL session_replication_role = replica; ${deletes}; COMMIT`;
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
});
beforeEach(async () => {
  await acme.sql("DELETE FROM automatic_decision");
  await acme.sql("DELETE FROM automatic_switch");
  await acme.sql(noRequests);
  await acme.sql("UPDATE organization SET undo_window_ms = 60000");
});

interface Body {
  id: string;
  questionHash: string;
}

const approve = { action: "accept", content: { decision: "approve" } };
const rule = (more: object = {}) => ({
  ...{ name: "Small", when: "true", answer: approve, mode: "live", dailyCap: 1_000, sample: 0 },
  ...more,
});

/** Saves a policy of automatic rules as Ana, an owner. */
async function policy(automatic: object[], more: object = {}): Promise<number> {
  const { version } = (await web.call("GET", "/api/v1/policy", { cookie: ana.cookie })).body;
  const saved = await web.call("PUT", "/api/v1/policy", {
    cookie: ana.cookie,
    headers: { "if-match": String(version) },
    body: { automatic, acknowledge: automatic.map((each) => (each as { name: string }).name), ...more },
  });
  if (saved.status !== 200) throw new Error(JSON.stringify(saved.body));
  return saved.body.version;
}
const judge = (engine = engines[0]) => judgeWaiting(acme.id, engine);
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const decisions = () =>
  acme.sql("SELECT * FROM automatic_decision ORDER BY input_request_id") as Promise<
    Record<string, unknown>[]
  >;
const decisionOf = async ({ id }: { id: string }) =>
  (await acme.sql("SELECT * FROM automatic_decision WHERE input_request_id = $1", [id]))[0];
const stateOf = async ({ id }: { id: string }) =>
  (await acme.sql("SELECT state FROM input_request WHERE id = $1", [id]))[0].state;
const stop = (who: { cookie: string } | { key: string } = cleo) =>
  web.call("POST", "/api/v1/policy/automatic/stop", who);
const resume = () => web.call("POST", "/api/v1/policy/automatic/resume", { cookie: ana.cookie });

describe("a rule that is live", () => {
  test("answers, by its name and version, as a person's answer goes", async () => {
    const version = await policy([rule()]);
    const request = await asked();
    expect(await decisionOf(request)).toMatchObject({ state: "waiting" });
    await judge();
    const seen = await acme.read(ben, request);
    expect(seen).toMatchObject({
      state: "answered",
      answer: { ...approve, by: { kind: "rule", id: null, name: `Small (version ${version})` } },
      delivery: { state: "held" },
    });
    expect(await decisionOf(request)).toMatchObject({
      state: "answered",
      rule: "Small",
      version,
      agreed: null,
    });
    const [, line] = await acme.lines(request);
    expect(line).toMatchObject({
      type: "answer.recorded",
      actor: { kind: "rule" },
      data: { ...approve, signedIn: null, rule: { name: "Small", version }, holdMs: 60_000 },
    });
    expect((await acme.decide(ben, request)).body.code).toBe("already_answered");
  });

  test("is taken back by any approver, and does not answer it again", async () => {
    await policy([rule()]);
    const request = await asked();
    await judge();
    const undo = () => web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { cookie: ben.cookie });
    expect((await undo()).status).toBe(200);
    expect(await decisionOf(request)).toMatchObject({ state: "undone", reason: "person" });
    await judge();
    expect(await stateOf(request)).toBe("open");
    await acme.decide(ben, request, { content: { decision: "reject" }, holdMs: 60_000 });
    expect(await decisionOf(request)).toMatchObject({ state: "undone", agreed: false });
    // A person's answer that is taken back says nothing any more.
    expect((await undo()).status).toBe(200);
    expect(await decisionOf(request)).toMatchObject({ agreed: null, people_answer_id: null });
    expect(await acme.answers(request)).toHaveLength(2);
  });

  test("declines before another accepts", async () => {
    await policy([rule(), rule({ name: "No", answer: { action: "decline" } })]);
    const request = await asked();
    await judge();
    expect((await acme.read(ana, request)).answer).toMatchObject({ action: "decline", content: null });
  });

  test("that could not be applied leaves the request to people", async () => {
    await policy([rule({ when: "task.arguments.none > 1.0" })]);
    const request = await asked();
    await judge();
    expect([await stateOf(request), await decisionOf(request)]).toEqual(["open", undefined]);
  });

  test("whose answer does not fit the form sends nothing", async () => {
    await policy([rule({ answer: { action: "accept", content: { decision: "maybe" } } })]);
    const request = await asked();
    await judge();
    expect(await decisionOf(request)).toMatchObject({ state: "failed" });
    expect((await decisionOf(request)).reason).toMatch(/one of the choices/);
    expect(await stateOf(request)).toBe("open");
    await acme.decide(ben, request);
    expect(await decisionOf(request)).toMatchObject({ state: "failed", agreed: null });
  });

  test("leaves its sample to people, and is compared with them", async () => {
    await policy([rule({ sample: 1 })]);
    const request = await asked();
    await judge();
    expect(await decisionOf(request)).toMatchObject({ state: "kept", reason: "sample" });
    await acme.decide(ben, request);
    expect(await decisionOf(request)).toMatchObject({ state: "kept", agreed: true });
  });

  test("counts only while it is in force and live", async () => {
    await policy([rule()]);
    const request = await asked();
    await policy([rule({ mode: "off" })]);
    await judge();
    expect([await stateOf(request), await decisionOf(request)]).toEqual(["open", undefined]);
  });
});

describe("a rule in shadow", () => {
  test("sends nothing, and is compared with what people answer", async () => {
    await policy([rule({ mode: "shadow" })]);
    const [same, other, declined, byKey] = [
      await asked(),
      await asked(),
      await asked(),
      await asked(),
    ] as const;
    await judge();
    for (const request of [same, other, declined, byKey]) {
      expect(await decisionOf(request)).toMatchObject({ state: "shadow", action: "accept", agreed: null });
      expect(await acme.answers(request)).toEqual([]);
      expect((await acme.lines(request)).map(({ type }) => type)).toEqual(["request.opened"]);
    }
    await acme.decide(ben, same);
    await acme.decide(ben, other, { content: { decision: "reject" } });
    await acme.decide(ben, declined, { action: "decline", content: undefined });
    expect(await acme.decide({ key: await acme.keyOf(cleo) }, byKey)).toMatchObject({ status: 202 });
    const agreed = async (request: Body) => (await decisionOf(request)).agreed;
    expect([await agreed(same), await agreed(other), await agreed(declined), await agreed(byKey)]).toEqual([
      true,
      false,
      false,
      null,
    ]);
  });

  test("and off costs nothing: no row is written", async () => {
    await policy([rule({ mode: "off" })]);
    await asked();
    expect(await decisions()).toEqual([]);
  });
});

/** How a request comes to be that no rule may answer. */
describe.each(["live", "shadow"])("a rule in %s has nothing to do with", (mode) => {
  const CHOICE = {
    type: "object",
    properties: { decision: { type: "string", enum: ["approve", "reject"] } },
    required: ["decision"],
  };
  const capture = (taskId: string, more: object) =>
    web.db.withOrganization(acme.id, (tx) =>
      captureQuestion(tx, taskId, {
        question: {
          ...{ mode: "form" as const, message: "Approve?", requestedSchema: CHOICE, url: null },
          ...{ address: { kind: "key" as const, key: "k" } },
          ...more,
        },
        key: "k",
        rpc: null,
        lifetimeMs: null,
      }),
    );
  const openOf = async (taskId: string): Promise<Body> =>
    (
      await acme.sql(
        `SELECT id, question_hash AS "questionHash" FROM input_request WHERE task_id = $1 AND state = 'open'`,
        [taskId],
      )
    )[0];
  const hints = (task: string, annotations: object) =>
    acme.sql("UPDATE task SET tool_hints = $2 WHERE id = $1", [task, JSON.stringify({ annotations })]);

  const cases: Record<string, () => Promise<Body>> = {
    "a site to visit": async () => {
      const task = await acme.task();
      await capture(task, { mode: "url", requestedSchema: undefined, url: "https://pay.example/" });
      return openOf(task);
    },
    "a secret": async () => {
      const task = await acme.task();
      const requestedSchema = { type: "object", properties: { password: { type: "string" } } };
      await capture(task, { requestedSchema });
      return openOf(task);
    },
    "a private task": () => asked({ visibility: "private", requester: ben.userId }),
    "a tool that may destroy data": async () => {
      const task = await acme.task();
      await hints(task, { destructiveHint: true });
      return acme.ask(task);
    },
    "a question that has a warning": async () => {
      const task = await acme.task({ arguments: { total: 500 } });
      return acme.ask(task, { message: "Approve $900.00?" });
    },
    "a tool that the server has changed": async () => {
      const task = await acme.task({ tool: "changed" });
      for (const [digest, used, until] of [
        ["01", "now()", "now()"],
        ["02", "NULL", "NULL"],
      ])
        await acme.sql(
          `INSERT INTO server_tool_version (organization_id, server_id, tool, digest, described, used_at, used_by, until)
            VALUES ($1, $2, 'changed', decode($3, 'hex'), '{}', ${used}, CASE WHEN ${used} IS NOT NULL THEN '{}'::jsonb END, ${until})
            ON CONFLICT DO NOTHING`,
          [acme.id, acme.server.id, digest!.repeat(32)],
        );
      return acme.ask(task);
    },
    "a question whose text has changed": async () => {
      const task = await acme.task();
      await capture(task, {});
      await capture(task, { message: "Approve it all?" });
      return openOf(task);
    },
    "a question that is asked again": async () => {
      const task = await acme.task();
      await capture(task, {});
      const { id } = await openOf(task);
      await acme.sql("DELETE FROM automatic_decision WHERE input_request_id = $1", [id]);
      await acme.sql("UPDATE input_request SET state = 'answered' WHERE id = $1", [id]);
      await acme.sql("UPDATE input_request SET state = 'settled', ended_at = now() WHERE id = $1", [id]);
      await capture(task, {});
      return openOf(task);
    },
    "what its author asked for": () => asked({ requester: ana.userId }),
    "what a key of its author asked for": async () => {
      const made = await web.call("POST", "/api/v1/api-keys", {
        cookie: ana.cookie,
        body: { name: uuidv7(), role: "operator" },
      });
      const task = await acme.task();
      await acme.sql("UPDATE task SET requested_by = $2 WHERE id = $1", [
        task,
        JSON.stringify({ kind: "key", id: made.body.id, name: "k" }),
      ]);
      return acme.ask(task);
    },
    "what somebody asked for who counts as one with its author": async () => {
      const guest = await acme.person(`Guest ${mode}`, "operator");
      await acme.sql(
        `INSERT INTO maker (organization_id, user_id, invited_by) VALUES ($1, $2, $3)
          ON CONFLICT (organization_id, user_id) DO UPDATE SET invited_by = excluded.invited_by, vouched_at = NULL`,
        [acme.id, guest.userId, ana.userId],
      );
      return asked({ requester: guest.userId });
    },
    "what somebody works on": async () => {
      const request = await asked();
      await web.call("POST", `/api/v1/input-requests/${request.id}/claim`, { cookie: ben.cookie, body: {} });
      return request;
    },
    "what was given to somebody": async () => {
      const request = await asked();
      await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
        cookie: ana.cookie,
        body: { memberId: ben.memberId },
      });
      return request;
    },
  };
  test.each(Object.keys(cases))("%s", async (name) => {
    await policy([rule({ mode })]);
    const request = await cases[name]!();
    expect(request).toMatchObject({ id: expect.any(String) });
    await judge();
    expect([await stateOf(request), await decisionOf(request), await acme.answers(request)]).toEqual([
      "open",
      undefined,
      [],
    ]);
    // Beside it, one that nothing is wrong with.
    const other = await asked();
    await judge();
    expect(await decisionOf(other)).toMatchObject({ state: mode === "live" ? "answered" : "shadow" });
  });

  test("what several people have to agree on", async () => {
    await policy([rule({ mode })], {
      rules: [{ name: "All", stages: [{ name: "One", approvers: { roles: ["approver"] } }] }],
    });
    const request = await asked();
    await judge();
    expect([await stateOf(request), await decisions()]).toEqual(["open", []]);
  });

  test("what people have to agree on by now, though it was asked without", async () => {
    await policy([rule({ mode })]);
    const request = await asked();
    await policy([rule({ mode })], {
      rules: [{ name: "All", stages: [{ name: "One", approvers: { roles: ["approver"] } }] }],
    });
    await judge();
    expect([await stateOf(request), await decisions()]).toEqual(["open", []]);
  });

  test("questions of Intray's own", async () => {
    await policy([rule({ mode, answer: { action: "accept" } })]);
    const key = await web.key(acme.id, "operator");
    const made = await web.call("POST", "/api/v1/requests", {
      key,
      body: { kind: "approval", message: "Pay?" },
    });
    expect(made.status).toBe(201);
    await judge();
    expect(await decisions()).toEqual([]);
  });
});

describe("similar decisions", () => {
  const invoice = { supplier: "ACME Corp", total: 100 };
  /** One that was decided, and settled. */
  async function settled(by: "person" | "key" | "rule", decision = "approve") {
    const request = await asked({ arguments: invoice });
    if (by === "rule") await judge();
    else {
      const who = by === "person" ? ben : { key: await acme.keyOf(cleo) };
      expect(await acme.decide(who, request, { content: { decision } })).toMatchObject({ status: 202 });
    }
    await acme.sql("UPDATE delivery SET state = 'pending' WHERE input_request_id = $1 AND state = 'held'", [
      request.id,
    ]);
    await acme.sql(
      "UPDATE delivery SET state = 'confirmed', confirmed_at = now() WHERE input_request_id = $1",
      [request.id],
    );
    await acme.sql("UPDATE input_request SET state = 'settled', ended_at = now() WHERE id = $1", [
      request.id,
    ]);
  }

  test("are those of people alone: no rule feeds itself", async () => {
    await policy([rule()]);
    for (let at = 0; at < 3; at++) await settled("rule");
    await policy([rule({ when: "similar.accepted + similar.declined >= 1" })]);
    const first = await asked({ arguments: invoice });
    await judge();
    expect(await stateOf(first)).toBe("open");
    await settled("key");
    const second = await asked({ arguments: invoice });
    await judge();
    expect(await stateOf(second)).toBe("open");
    await settled("person");
    const third = await asked({ arguments: invoice });
    await judge();
    expect(await stateOf(third)).toBe("answered");
  });

  test("a repeat is one whoever decided the first, and though that is still on its way", async () => {
    await policy([rule({ when: "!similar.repeats" })]);
    const once = { label: "INV-77", arguments: invoice };
    const first = await asked(once);
    await judge();
    const second = await asked(once);
    await judge();
    expect([await stateOf(first), await stateOf(second)]).toEqual(["answered", "open"]);
    const another = await asked({ ...once, label: "INV-78" });
    await judge();
    expect(await stateOf(another)).toBe("answered");
  });

  test("tell accepted from declined", async () => {
    await policy([]);
    for (const decision of ["approve", "approve", "reject"]) await settled("person", decision);
    await policy([rule({ when: "similar.accepted == 2 && similar.declined == 1" })]);
    const request = await asked({ arguments: invoice });
    await judge();
    expect(await stateOf(request)).toBe("answered");
  });
});

describe("at once", () => {
  test("two engines judge a request once", async () => {
    await policy([rule()]);
    const request = await asked();
    await Promise.all(
      engines.flatMap((engine) =>
        [1, 2].map(() => engine.withOrganization(acme.id, (tx) => judgeDecision(tx, request.id))),
      ),
    );
    expect(await acme.answers(request)).toHaveLength(1);
    expect((await acme.lines(request)).filter(({ type }) => type === "answer.recorded")).toHaveLength(1);
  });

  test("a change of the calendar makes no new day of a cap", async () => {
    await policy([rule({ dailyCap: 2 })]);
    for (let at = 0; at < 2; at++) await asked();
    await judge();
    const all = [{ from: "00:00", to: "24:00" }];
    const days = { mon: all, tue: all, wed: all, thu: all, fri: all, sat: all, sun: all };
    const saved = await web.call("PUT", "/api/v1/calendar", {
      key: await web.key(acme.id, "admin"),
      headers: { "if-match": "0" },
      body: { calendar: { zone: "Pacific/Kiritimati", days } },
    });
    expect(saved.status).toBe(200);
    await acme.sql("UPDATE automatic_decision SET day = day - 1");
    const third = await asked();
    await judge();
    expect(await decisionOf(third)).toMatchObject({ state: "kept", reason: "cap" });
    // What was answered the day before says nothing, once the change is a day old.
    await acme.sql("UPDATE working_calendar SET changed_at = now() - interval '25 hours'");
    const fourth = await asked();
    await judge();
    expect(await stateOf(fourth)).toBe("answered");
    await acme.sql("DELETE FROM working_calendar");
  });

  test("two engines keep a daily cap", async () => {
    await policy([rule({ dailyCap: 4 })]);
    for (let at = 0; at < 10; at++) await asked();
    for (let turn = 0; turn < 3; turn++) await Promise.all(engines.map((engine) => judge(engine)));
    const states = (await decisions()).map(({ state, reason }) => `${state} ${reason ?? ""}`.trim());
    expect(states.filter((each) => each === "answered")).toHaveLength(4);
    expect(states.filter((each) => each === "kept cap")).toHaveLength(6);
    const [{ count }] = await acme.sql("SELECT count(*)::integer AS count FROM answer");
    expect(count).toBe(4);
    // What was taken back counts too, and another day anew.
    await stop();
    await resume();
    const late = await asked();
    await judge();
    expect(await decisionOf(late)).toMatchObject({ state: "kept", reason: "cap" });
    await acme.sql("UPDATE automatic_decision SET day = day - 1 WHERE day IS NOT NULL");
    const next = await asked();
    await judge();
    expect(await decisionOf(next)).toMatchObject({ state: "answered" });
  });

  test("the day is that of the organization's zone", async () => {
    await policy([rule()]);
    await acme.sql(
      `INSERT INTO working_calendar (organization_id, version, calendar, changed_at, changed_by) VALUES ($1, 1, $2, now(), '{}')`,
      [
        acme.id,
        JSON.stringify({
          ...{ zone: "Pacific/Kiritimati", holidays: [] },
          days: {
            mon: [{ from: "09:00", to: "17:00" }],
            tue: [],
            wed: [],
            thu: [],
            fri: [],
            sat: [],
            sun: [],
          },
        }),
      ],
    );
    const request = await asked();
    await judge();
    const [row] = await acme.sql(
      `SELECT day = (now() AT TIME ZONE 'Pacific/Kiritimati')::date AS "isIts" FROM automatic_decision WHERE input_request_id = $1`,
      [request.id],
    );
    await acme.sql("DELETE FROM working_calendar");
    expect(row).toEqual({ isIts: true });
  });

  test("a person and a rule: one answer each time", async () => {
    await policy([rule()]);
    const requests = [];
    for (let at = 0; at < 12; at++) requests.push(await asked());
    const [people] = await Promise.all([
      Promise.all(requests.map((request) => acme.decide(ben, request, { holdMs: 60_000 }))),
      ...engines.map((engine) => judge(engine)),
    ]);
    await judge();
    for (const [at, request] of requests.entries()) {
      const answers = await acme.answers(request);
      expect(answers).toHaveLength(1);
      const isPerson = people[at]!.status === 202;
      expect(answers[0].answered_by.kind).toBe(isPerson ? "member" : "rule");
      if (!isPerson) expect(people[at]!.body.code).toBe("already_answered");
    }
  });

  test("an engine that dies between leaves the request to the next", async () => {
    await policy([rule()]);
    const request = await asked();
    await expect(
      engines[0].withOrganization(acme.id, async (tx) => {
        await judgeDecision(tx, request.id);
        throw new Error("killed");
      }),
    ).rejects.toThrow("killed");
    expect([await stateOf(request), (await decisionOf(request)).state]).toEqual(["open", "waiting"]);
    await judge(engines[1]);
    expect(await acme.answers(request)).toHaveLength(1);
  });

  test("a change of the policy, once it is saved: none by the rule of before", async () => {
    await policy([rule()]);
    const requests = [];
    for (let at = 0; at < 20; at++) requests.push(await asked());
    const judging = Promise.all(engines.map((engine) => judge(engine)));
    await policy([rule({ mode: "shadow" })]);
    const [{ count }] = await acme.sql("SELECT count(*)::integer AS count FROM answer");
    await judging;
    await judge();
    expect((await acme.sql("SELECT count(*)::integer AS count FROM answer"))[0].count).toBe(count);
  });
});

describe("the stop", () => {
  test("in the middle of a burst: none is recorded after it, and people have all of them", async () => {
    await policy([rule()]);
    const requests: Body[] = [];
    for (let at = 0; at < 40; at++) requests.push(await asked());
    const judging = Promise.all(engines.map((engine) => judge(engine)));
    await expect
      .poll(async () => (await acme.sql("SELECT FROM answer")).length, { interval: 5 })
      .toBeGreaterThan(3);
    const stopped = await stop();
    const at = (await acme.sql("SELECT clock_timestamp() AS at"))[0].at as Date;
    expect(stopped.status).toBe(200);
    // However far the burst has come: one that is judged after the stop.
    requests.push(await asked());
    await judging;
    await judge();
    const answers = await acme.sql("SELECT created_at, withdrawn_at FROM answer");
    expect(answers).toHaveLength(stopped.body.takenBack);
    expect(answers.length).toBeGreaterThan(3);
    for (const { created_at, withdrawn_at } of answers) {
      expect(created_at.getTime()).toBeLessThanOrEqual(at.getTime());
      expect(withdrawn_at).not.toBeNull();
    }
    expect(await acme.sql("SELECT FROM delivery WHERE state <> 'undone'")).toEqual([]);
    const states = (await decisions()).map(({ state, reason }) => `${state} ${reason}`);
    expect(new Set(states)).toEqual(new Set(["undone stopped", "kept stopped"]));
    const lines = (await Promise.all(requests.map((request) => acme.lines(request)))).flat();
    expect(lines.filter(({ type }) => type === "answer.undone")).toHaveLength(stopped.body.takenBack);
    for (const request of requests.slice(0, 5)) expect((await acme.decide(ben, request)).status).toBe(202);
    expect((await resume()).status).toBe(204);
    // What was taken back, or kept, stays with people.
    await judge();
    expect(await stateOf(requests[10]!)).toBe("open");
    const next = await asked();
    await judge();
    expect(await stateOf(next)).toBe("answered");
  });

  test("takes back what is due and has not begun to be sent, and nothing that has", async () => {
    await acme.sql("UPDATE organization SET undo_window_ms = 0");
    await policy([rule()]);
    const [due, sending] = [await asked(), await asked()];
    await judge();
    await acme.sql(
      "UPDATE delivery SET state = 'sending', sent_at = now(), attempts = 1, epoch = 1 WHERE input_request_id = $1",
      [sending.id],
    );
    expect((await stop()).body).toEqual({ takenBack: 1 });
    expect([await stateOf(due), await stateOf(sending)]).toEqual(["open", "answered"]);
    expect((await stop()).body).toEqual({ takenBack: 0 });
    await resume();
  });

  test("leaves people's answers alone", async () => {
    await policy([rule({ mode: "shadow" })]);
    const request = await asked();
    await judge();
    await acme.decide(ben, request, { holdMs: 60_000 });
    expect((await stop()).body).toEqual({ takenBack: 0 });
    expect(await stateOf(request)).toBe("answered");
    await resume();
  });
});
