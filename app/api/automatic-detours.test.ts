/** Detours by which live automatic rules would answer more than an owner let them. */
import { beforeEach, describe, expect, test } from "vitest";
import { judgeWaiting } from "@/lib/requests/automatic/judge-waiting.ts";
import { type Voter, type VotingOrganization, votingForFile } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
const { acme, ana, ben, cleo, dan } = votingForFile(web, "acme", {
  ana: "owner",
  ben: "approver",
  cleo: "admin",
  dan: "owner",
});

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
const makeGroup = (who: Voter, name: string, members: Voter[] = []) =>
  web.call("POST", "/api/v1/groups", {
    cookie: who.cookie,
    body: { name, members: members.map(({ memberId }) => memberId) },
  });
const change = (who: { cookie: string } | { key: string }, id: string, body: object) =>
  web.call("PATCH", `/api/v1/groups/${id}`, { ...who, body });
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
    // An owner makes it: to admins the name is refused, for another condition might ask for it as well.
    expect((await makeGroup(cleo, "Trusted", [cleo])).status).toBe(403);
    expect((await makeGroup(ana, "Trusted", [cleo])).status).toBe(201);
    const second = await asked({ requester: cleo.userId });
    await judge();
    expect(await seen(second)).toEqual(["open", null]);
  });

  describe("where a condition asks for a group of the organization", () => {
    const watched = '"Watched" in requester.groups';
    const ruled = (when: string) => ({ rules: [{ ...all[0], when }], ...ack("Small") });
    let group: string;
    beforeEach(async () => {
      await acme.sql("DELETE FROM organization_group");
      group = (await makeGroup(cleo, "Watched", [cleo])).body.id;
    });

    test("and a plain admin leaves it, renames it or deletes it", async () => {
      expect((await put(ana, [rule()], ruled(watched))).status).toBe(200);
      const leave = await change(cleo, group, { remove: [cleo.memberId] });
      const rename = await change(cleo, group, { name: "Unwatched" });
      const drop = await web.call("DELETE", `/api/v1/groups/${group}`, { cookie: cleo.cookie });
      expect([leave, rename, drop].map(({ status, body }) => [status, body.code])).toEqual([
        [403, "forbidden"],
        [403, "forbidden"],
        [409, "group_in_use"],
      ]);
      const request = await asked({ requester: cleo.userId });
      await judge();
      expect(await seen(request)).toEqual(["open", null]);
    });

    test("and a plain admin joins another that the same condition leaves out", async () => {
      const trusted = (await makeGroup(cleo, "Trusted")).body.id;
      expect((await put(ana, [rule()], ruled(`${watched} && !("Trusted" in requester.groups)`))).status).toBe(
        200,
      );
      expect((await change(cleo, trusted, { add: [cleo.memberId] })).status).toBe(403);
      const other = (await makeGroup(cleo, "Other", [cleo])).body.id;
      expect((await change(cleo, other, { name: "Trusted 2" })).status).toBe(200);
      await change(ana, trusted, { name: "Trusted 3" });
      expect((await change(cleo, other, { name: "Trusted" })).status).toBe(403);
      const request = await asked({ requester: cleo.userId });
      await judge();
      expect(await seen(request)).toEqual(["open", null]);
    });

    test("and it can't be told which", async () => {
      const drop = () => web.call("DELETE", `/api/v1/groups/${group}`, { cookie: cleo.cookie });
      expect((await put(ana, [rule()], ruled("size(requester.groups) > 0"))).status).toBe(200);
      expect([
        (await change(cleo, group, { remove: [cleo.memberId] })).status,
        (await drop()).status,
      ]).toEqual([403, 403]);
      expect((await change(ana, group, { add: [ben.memberId] })).status).toBe(200);
      const key = await web.call("POST", "/api/v1/api-keys", {
        cookie: ana.cookie,
        body: { name: "k", role: "admin", permissions: ["settings:manage"] },
      });
      const by = { key: key.body.secret as string };
      expect((await change(by, group, { remove: [ben.memberId] })).status).toBe(403);
      // Without live rules nothing is answered.
      expect((await put(cleo, [rule({ mode: "shadow" })], ruled("size(requester.groups) > 0"))).status).toBe(
        200,
      );
      expect((await drop()).status).toBe(200);
    });

    test("and an owner who wrote none of the live rules comes or goes by it themselves", async () => {
      await change(ana, group, { add: [ana.memberId, dan.memberId] });
      expect((await put(ana, [rule()], ruled(watched))).status).toBe(200);
      expect((await change(dan, group, { remove: [dan.memberId] })).status).toBe(403);
      expect((await change(dan, group, { name: "Unwatched" })).status).toBe(403);
      expect((await change(dan, group, { add: [ben.memberId] })).status).toBe(200);
      expect((await change(ana, group, { remove: [ana.memberId] })).status).toBe(200);
      const requests = [await asked({ requester: dan.userId }), await asked({ requester: ana.userId })];
      await judge();
      // A rule is not for its author anyway.
      for (const request of requests) expect(await seen(request)).toEqual(["open", null]);
      // As whoever approves it.
      await acme.sql("UPDATE organization SET two_person_policy = true WHERE id = $1", [acme.id]);
      const { proposalId } = (await change(ana, group, { remove: [dan.memberId] })).body;
      const approve = (who: Voter) =>
        web.call("POST", `/api/v1/policy/proposals/${proposalId}/approve`, { cookie: who.cookie });
      const [own, others] = [await approve(dan), await approve(cleo)];
      await acme.sql("UPDATE organization SET two_person_policy = false WHERE id = $1", [acme.id]);
      expect([own.status, own.body.code, others.status]).toEqual([403, "forbidden", 200]);
    });

    test("and whoever proposed its change is no owner any more", async () => {
      const proposed = async (who: Voter) => {
        const reply = await change(who, group, { remove: [cleo.memberId] });
        return reply.body.proposalId as string;
      };
      const approve = (who: Voter, id: string) =>
        web.call("POST", `/api/v1/policy/proposals/${id}/approve`, { cookie: who.cookie });
      await acme.sql("UPDATE organization SET two_person_policy = true WHERE id = $1", [acme.id]);
      // Proposed before rules were live.
      const before = await proposed(cleo);
      const policy = (await put(ana, [rule()], ruled(watched))).body.proposalId;
      expect((await approve(dan, policy)).status).toBe(200);
      const refused = await approve(dan, before);
      const ofOwner = await proposed(ana);
      await acme.sql("UPDATE membership SET role = 'admin' WHERE user_id = $1", [ana.userId]);
      const again = await approve(dan, ofOwner);
      await acme.sql("UPDATE membership SET role = 'owner' WHERE user_id = $1", [ana.userId]);
      const approved = await approve(dan, ofOwner);
      await acme.sql("UPDATE organization SET two_person_policy = false WHERE id = $1", [acme.id]);
      expect([refused, again].map(({ status, body }) => [status, body.code])).toEqual([
        [409, "version_changed"],
        [409, "version_changed"],
      ]);
      expect(approved.status).toBe(200);
    });
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
