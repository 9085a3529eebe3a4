/** What automatic rules are told where content is sealed, and what becomes of what they can't judge. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { convertContent } from "@/lib/people/content-sealing/convert.ts";
import { judgeWaiting } from "@/lib/requests/automatic/judge-waiting.ts";
import { type Voter, type VotingOrganization, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let engine: Database;
let acme: VotingOrganization;
let ana: Voter;
let ben: Voter;
let cleo: Voter;
let made = 0;

beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 3 });
});
afterAll(async () => {
  await engine.close();
});
beforeEach(async () => {
  acme = await votingOrganization(web, `acme-${++made}`);
  ana = await acme.person("Ana", "owner");
  ben = await acme.person("Ben", "approver");
  cleo = await acme.person("Cleo", "admin");
  await acme.sql("UPDATE organization SET undo_window_ms = 60000");
});

const approve = { action: "accept", content: { decision: "approve" } };
const rule = (more: object = {}) => ({
  ...{ name: "Small", when: "true", answer: approve, mode: "live", dailyCap: 1000, sample: 0 },
  ...more,
});
async function put(who: { cookie: string }, automatic: object[], more: object = {}) {
  const { version } = (await web.call("GET", "/api/v1/policy", { cookie: ana.cookie })).body;
  const headers = { "if-match": String(version) };
  return web.call("PUT", "/api/v1/policy", { ...who, headers, body: { automatic, ...more } });
}
const ack = (...names: string[]) => ({ acknowledge: names });
const judge = () => judgeWaiting(acme.id, engine);
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const stateOf = async ({ id }: { id: string }) =>
  (await acme.sql("SELECT state FROM input_request WHERE id = $1", [id]))[0].state;
const decisionOf = async ({ id }: { id: string }) =>
  (await acme.sql("SELECT * FROM automatic_decision WHERE input_request_id = $1", [id]))[0];
const seal = async (sealed: boolean) => {
  const reply = await web.call("PUT", "/api/v1/organization/content-sealing", {
    cookie: ana.cookie,
    body: { sealed },
  });
  expect(reply.status).toBe(200);
  for (;;) {
    await acme.sql("UPDATE content_sealing SET look_at = now() - interval '1 second'");
    while (await convertContent(acme.id, engine));
    const { progress } = (await web.call("GET", "/api/v1/organization/content-sealing", ana)).body;
    if (progress === null) return;
  }
};

describe("sealed", () => {
  test("control: a rule answers, and is compared", async () => {
    await seal(true);
    expect((await put(ana, [rule({ when: "task.arguments.total < 100.0" })], ack("Small"))).status).toBe(200);
    const request = await asked({ arguments: { total: 50 } });
    const large = await asked({ arguments: { total: 500 } });
    await judge();
    expect([await stateOf(request), await stateOf(large)]).toEqual(["answered", "open"]);
  });

  test("a rule sees the call's arguments and label, as where nothing is sealed", async () => {
    const when = '!("total" in task.arguments) || task.arguments.total < 100.0';
    expect((await put(ana, [rule({ when })], ack("Small"))).status).toBe(200);
    const plain = await asked({ arguments: { total: 50_000 } });
    await judge();
    await seal(true);
    const sealed = await asked({ arguments: { total: 50_000 } });
    await judge();
    expect([await stateOf(plain), await stateOf(sealed)]).toEqual(["open", "open"]);
  });

  test("a rule about what the arguments cost leaves a large one to people", async () => {
    const when = "request.amount == null || request.amount < 100.0";
    expect((await put(ana, [rule({ when })], ack("Small"))).status).toBe(200);
    const plain = await asked({ arguments: { amount: 50_000, currency: "USD" } });
    await judge();
    await seal(true);
    const sealed = await asked({ arguments: { amount: 50_000, currency: "USD" } });
    await judge();
    expect([await stateOf(plain), await stateOf(sealed)]).toEqual(["open", "open"]);
  });

  test("what people decided and a rule would have is compared, and listed and replayed with its arguments", async () => {
    await seal(true);
    expect((await put(cleo, [rule({ mode: "shadow", when: "task.label != 'x'" })])).status).toBe(200);
    const request = await asked({ arguments: { total: 50 } });
    await judge();
    await acme.decide(ben, request, { content: { decision: "reject" } });
    expect(await decisionOf(request)).toMatchObject({ state: "shadow", agreed: false });
    const { items } = (await web.call("GET", "/api/v1/policy/automatic/decisions", cleo)).body;
    expect(items[0]).toMatchObject({
      agreed: false,
      people: { content: { decision: "reject" } },
      said: { words: "Approved" },
    });
  });

  test("arguments that can't be opened are nobody's to judge", async () => {
    await seal(true);
    const when = '!("total" in task.arguments) || task.arguments.total < 100.0';
    expect((await put(ana, [rule({ when })], ack("Small"))).status).toBe(200);
    const task = await acme.task({ arguments: { total: 50_000 } });
    const request = await acme.ask(task);
    const [{ arguments: stored }] = await acme.sql("SELECT arguments FROM task WHERE id = $1", [task]);
    const text = `${(stored.sealed as string).slice(0, -6)}AAAAAA`;
    await acme.sql("UPDATE task SET arguments = $2 WHERE id = $1", [task, JSON.stringify({ sealed: text })]);
    await judge().catch(() => undefined);
    expect([await stateOf(request), (await acme.answers(request)).length]).toEqual(["open", 0]);
  });
});

describe("one that can't be judged", () => {
  test("keeps none of the others, however many of its tool there are", async () => {
    const when = 'tool != "pay" || similar.declined == 0';
    expect((await put(ana, [rule({ when, mode: "shadow" })])).status).toBe(200);
    const settled = await asked({ tool: "pay" });
    await judge();
    await acme.decide(ben, settled);
    await acme.sql("UPDATE delivery SET state = 'pending' WHERE state = 'held'");
    await acme.sql("UPDATE delivery SET state = 'confirmed', confirmed_at = now() WHERE state = 'pending'");
    await acme.sql("UPDATE input_request SET state = 'settled', ended_at = now() WHERE id = $1", [
      settled.id,
    ]);
    // One value in the database that nobody can read.
    await acme.sql(`UPDATE input_request SET form = '{"sealed": "x"}' WHERE id = $1`, [settled.id]);
    for (let at = 0; at < 100; at++) await asked({ tool: "pay" });
    const other = await asked({ tool: "look" });
    for (let turn = 0; turn < 4; turn++) await judge().catch(() => undefined);
    expect(await decisionOf(other)).toMatchObject({ state: "shadow" });
  });
});

describe("an engine", () => {
  test("does not come back to one that can't be judged again and again, four times a second", async () => {
    const { JobRunner } = await import("@/lib/engine/jobs/job-runner.ts");
    const { AUTOMATIC_ANSWERS } = await import("@/lib/engine/jobs/task-jobs.ts");
    expect((await put(ana, [rule()], ack("Small"))).status).toBe(200);
    const request = await asked();
    await acme.sql(`UPDATE input_request SET form = '{"kind": "nonsense"}' WHERE id = $1`, [request.id]);
    let turns = 0;
    let others = 0;
    const counted = {
      ...AUTOMATIC_ANSWERS,
      run: (...given: Parameters<typeof AUTOMATIC_ANSWERS.run>) => {
        turns++;
        return AUTOMATIC_ANSWERS.run(...given);
      },
    };
    const { Prisma } = await import("@/lib/base/db/db.ts");
    const idle = {
      ...{ name: "idle", everyMs: 100, isTold: true },
      due: () => {
        others++;
        return Prisma.sql`SELECT gen_random_uuid() AS id WHERE false`;
      },
      run: async () => false,
    };
    const log = { warn() {}, error() {}, info() {}, debug() {} };
    const runner = new JobRunner({ database: engine, log } as never, [counted, idle]);
    runner.start();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await runner.stop();
    // A pause that grows, or one look in ten seconds: not twenty in five.
    expect([turns < 6, others < 6, turns, others]).toEqual([true, true, turns, others]);
  }, 20_000);
});

describe("a task that was adopted", () => {
  test("whose call nobody knows, under the tool that its adopter names, is people's", async () => {
    const when = 'tool == "look_up" && !("total" in task.arguments)';
    expect((await put(ana, [rule({ when })], ack("Small"))).status).toBe(200);
    const task = await acme.task({ tool: "look_up", requester: cleo.userId });
    // As lib/lifecycle/found-tasks/adopt.ts stores it: the tool is the adopter's word, the arguments are empty.
    await acme.sql("UPDATE task SET adopted = true, arguments = '{}' WHERE id = $1", [task]);
    const request = await acme.ask(task);
    await judge();
    expect(await stateOf(request)).toBe("open");
  });
});
