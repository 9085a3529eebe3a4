/** Detours by which live automatic rules would answer more than an owner let them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { judgeWaiting } from "@/lib/input-requests/automatic/judge-waiting.ts";
import { type Voter, type VotingOrganization, votingOrganization } from "@/test/voting.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let acme: VotingOrganization;
let ana: Voter;
let ben: Voter;
let cleo: Voter;

beforeAll(async () => {
  web = await startWeb();
  acme = await votingOrganization(web, "acme");
  ana = await acme.person("Ana", "owner");
  ben = await acme.person("Ben", "approver");
  cleo = await acme.person("Cleo", "admin");
});
afterAll(() => web.stop());
beforeEach(async () => {
  await acme.sql("DELETE FROM automatic_decision");
  await acme.sql("DELETE FROM automatic_switch");
  await acme.sql("TRUNCATE input_request CASCADE");
  await acme.sql("UPDATE organization SET undo_window_ms = 60000");
  await put(cleo, [], {});
});

const approve = { action: "accept", content: { decision: "approve" } };
const reject = { action: "accept", content: { decision: "reject" } };
const rule = (more: object = {}) => ({
  ...{ name: "Small", when: "true", answer: approve, mode: "live", dailyCap: 50, sample: 0 },
  ...more,
});
async function put(who: { cookie: string }, automatic: object[], more: object = {}) {
  const { version } = (await web.call("GET", "/api/v1/policy", { cookie: ana.cookie })).body;
  const headers = { "if-match": String(version) };
  return web.call("PUT", "/api/v1/policy", { ...who, headers, body: { automatic, ...more } });
}
const ack = (...names: string[]) => ({ acknowledge: names });
const judge = () => judgeWaiting(acme.id, web.db);
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const seen = async (request: { id: string }) => {
  const { state, answer } = await acme.read(ana, request);
  return [state, answer?.content?.decision ?? null];
};
const all = [{ name: "All", stages: [{ name: "One", approvers: { roles: ["approver"] } }] }];

describe("a live rule answers no more than an owner let it", () => {
  test("where a plain admin takes the stage away that kept their own request from it", async () => {
    await acme.sql("UPDATE organization SET four_eyes = true WHERE id = $1", [acme.id]);
    expect((await put(ana, [rule()], { rules: all, ...ack("Small") })).status).toBe(200);
    const first = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(first)).toEqual(["open", null]);
    const reply = await put(cleo, [rule()], { rules: [] });
    const second = await asked({ requester: cleo.userId });
    await judge();
    await acme.sql("UPDATE organization SET four_eyes = false WHERE id = $1", [acme.id]);
    // Either is enough: the change is an owner's, or what its maker asks for is people's.
    expect([reply.status, ...(await seen(second))]).not.toEqual([200, "answered", "approve"]);
  });

  test("where a plain admin moves a rule that says the form's own no behind one that says yes", async () => {
    const no = rule({ name: "No", answer: reject });
    expect((await put(ana, [no, rule()], ack("Small", "No"))).status).toBe(200);
    const first = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(first)).toEqual(["answered", "reject"]);
    const reply = await put(cleo, [rule(), no]);
    const second = await asked({ requester: cleo.userId });
    await judge();
    expect([reply.status, ...(await seen(second))]).not.toEqual([200, "answered", "approve"]);
  });

  test("where a plain admin switches a rule off that says the form's own no", async () => {
    const no = rule({ name: "No", answer: reject });
    expect((await put(ana, [no, rule()], ack("Small", "No"))).status).toBe(200);
    const reply = await put(cleo, [rule(), { ...no, mode: "off" }]);
    const request = await asked({ requester: cleo.userId });
    await judge();
    expect([reply.status, ...(await seen(request))]).not.toEqual([200, "answered", "approve"]);
  });

  test("where a requester's arguments keep the rule that says the form's own no from being applied", async () => {
    const no = rule({ name: "No", answer: reject, when: "task.arguments.total > 1000.0" });
    expect((await put(ana, [no, rule()], ack("Small", "No"))).status).toBe(200);
    const first = await asked({ requester: ben.userId, arguments: { total: 5000 } });
    const second = await asked({ requester: ben.userId, arguments: { total: "5000" } });
    await judge();
    expect(await seen(first)).toEqual(["answered", "reject"]);
    expect(await seen(second)).not.toEqual(["answered", "approve"]);
  });

  test("where a plain admin switches a rule off whose whole share goes to people", async () => {
    const people = rule({ name: "People", sample: 1 });
    expect((await put(ana, [people, rule()], ack("Small", "People"))).status).toBe(200);
    const first = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(first)).toEqual(["open", null]);
    const reply = await put(cleo, [rule(), { ...people, mode: "off" }]);
    const second = await asked({ requester: cleo.userId });
    await judge();
    expect([reply.status, ...(await seen(second))]).not.toEqual([200, "answered", "approve"]);
  });

  test("where a plain admin joins a group of the organization that leaves a stage out", async () => {
    const rules = [{ ...all[0], when: '!("Trusted" in requester.groups)' }];
    expect((await put(ana, [rule()], { rules, ...ack("Small") })).status).toBe(200);
    const first = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(first)).toEqual(["open", null]);
    const made = await web.call("POST", "/api/v1/groups", {
      cookie: cleo.cookie,
      body: { name: "Trusted", members: [cleo.memberId] },
    });
    expect(made.status).toBe(201);
    const second = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(second)).toEqual(["open", null]);
  });

  test("nor for who wrote it, once it was taken away and restored by another", async () => {
    await put(cleo, [rule({ mode: "shadow" })]);
    expect((await put(ana, [rule()], ack("Small"))).status).toBe(200);
    const first = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(first)).toEqual(["open", null]);
    expect((await put(cleo, [])).status).toBe(200);
    // Ana restores the version of before.
    expect((await put(ana, [rule()], ack("Small"))).status).toBe(200);
    const second = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(second)).toEqual(["open", null]);
  });

  test("and not what somebody has asked its requester about", async () => {
    expect((await put(ana, [rule()], ack("Small"))).status).toBe(200);
    const request = await asked({ requester: cleo.userId });
    const reply = await web.call("POST", `/api/v1/input-requests/${request.id}/ask-requester`, {
      cookie: ben.cookie,
      body: { text: "Why so much? Don't pay yet." },
    });
    expect(reply.status).toBe(200);
    await judge();
    expect(await seen(request)).toEqual(["open", null]);
  });
});
