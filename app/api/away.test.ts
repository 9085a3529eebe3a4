/** Who is away, and who stands in for them: in votes, assignments and lists. */
import { beforeEach, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { type Voter, type VotingOrganization, votingForFile, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
const { acme, olga, ada, ana, ben, cleo, dora, vic } = votingForFile(web, "acme", {
  olga: "owner",
  ada: "admin",
  ana: "approver",
  ben: "approver",
  cleo: "approver",
  dora: "approver",
  vic: "viewer",
});
/** The CFO. */
/** No vote of their own; stands in for Ana. */
/** An admin, and the only owner. */

beforeEach(async () => {
  await acme.sql("DELETE FROM away");
});

const HOUR_MS = 3600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const fieldsOf = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
  status,
  body.errors?.map(({ field }) => field),
];

const put = (who: Voter, to: Voter, more: object = {}) =>
  web.call("PUT", "/api/v1/me/away", {
    cookie: who.cookie,
    body: { from: inHours(-1), until: inHours(48), delegateUserId: to.userId, ...more },
  });
const away = async (who: Voter, to: Voter, more: object = {}) => {
  const reply = await put(who, to, more);
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.body;
};
const putFor = (admin: { cookie: string } | { key: string }, who: Voter, to: Voter, more: object = {}) =>
  web.call("PUT", `/api/v1/members/${who.memberId}/away`, {
    ...admin,
    body: { from: inHours(-1), until: inHours(48), delegateUserId: to.userId, ...more },
  });
const back = (who: Voter) => web.call("DELETE", "/api/v1/me/away", { cookie: who.cookie });

/** One stage. */
const stage = (people: Voter[], more: object = {}, rule: object = {}) => ({
  rules: [
    {
      name: "All",
      stages: [{ name: "Finance", approvers: { people: people.map(({ email }) => email) }, ...more }],
      ...rule,
    },
  ],
});
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const NO_VOTE = [403, "not_an_approver"];
/** The votes that count, as `person by delegate`. */
const cast = async (request: { id: string }) =>
  (
    await acme.sql(
      "SELECT person, cast_by ->> 'id' AS by FROM vote WHERE input_request_id = $1 AND ended_at IS NULL ORDER BY cast_at",
      [request.id],
    )
  ).map(({ person, by }) => `${nameOf(person)} by ${nameOf(by)}`);
const nameOf = (id: string) =>
  Object.entries({ ana, ben, cleo, dora, ada, olga }).find(([, { userId }]) => userId === id)?.[0] ?? id;

describe("nobody approves their own request by a detour", () => {
  test("who asked doesn't vote as the delegate of somebody", async () => {
    await acme.policy(stage([ana, cleo]));
    await away(ana, ben);
    const request = await asked({ requester: ben.userId });
    expect(codeOf(await acme.decide(ben, request))).toEqual([403, "four_eyes"]);
    expect((await acme.read(ben, request)).approval).toMatchObject({ canVote: false, votesFor: null });
    // Of another's request they do.
    expect((await acme.decide(ben, await asked({ requester: dora.userId }))).status).toBe(202);
  });

  test("nor where the rule lets who asked vote: that is their own vote, not somebody else's", async () => {
    await acme.policy(stage([ana, cleo], {}, { requester: "allowed" }));
    await away(ana, ben);
    expect(codeOf(await acme.decide(ben, await asked({ requester: ben.userId })))).toEqual(NO_VOTE);
    expect((await acme.decide(cleo, await asked({ requester: cleo.userId }))).status).toBe(202);
  });

  test("an admin does not choose who votes for an owner, over the owner's delegate either", async () => {
    await acme.policy(stage([olga, cleo]));
    await away(olga, ben);
    expect((await putFor(ada, ben, dora)).status).toBe(200);
    expect(codeOf(await acme.decide(dora, await asked({ requester: cleo.userId })))).toEqual(NO_VOTE);
    expect((await putFor(olga, ben, dora)).status).toBe(200);
    expect((await acme.decide(dora, await asked({ requester: cleo.userId }))).status).toBe(202);
  });

  test("whoever had an account before its address was proved chooses nobody any more", async () => {
    await acme.policy(stage([ana, cleo]));
    await away(ana, ben);
    await acme.sql("UPDATE membership SET inherited = true WHERE user_id = $1", [ana.userId]);
    await acme.sql("UPDATE membership SET inherited = false WHERE user_id = $1", [ana.userId]);
    expect(await acme.sql("SELECT FROM away WHERE user_id = $1", [ana.userId])).toEqual([]);
  });

  test("nobody votes as the delegate of who asked", async () => {
    await acme.policy(stage([ana, cleo]));
    await away(ana, ben);
    const request = await asked({ requester: ana.userId });
    expect(codeOf(await acme.decide(ben, request))).toEqual(NO_VOTE);
    expect((await acme.read(ben, request)).approval).toMatchObject({ canVote: false, votesFor: null });
  });

  test("nor where who asked is on the way from one to the other, and chose the delegate so", async () => {
    await acme.policy(stage([ana, cleo]));
    await away(ana, ben);
    await away(ben, dora);
    expect(codeOf(await acme.decide(dora, await asked({ requester: ben.userId })))).toEqual(NO_VOTE);
    // Also where an admin chose for him.
    expect((await putFor(ada, ben, dora)).status).toBe(200);
    expect(codeOf(await acme.decide(dora, await asked({ requester: ben.userId })))).toEqual(NO_VOTE);
    expect((await acme.decide(dora, await asked({ requester: cleo.userId }))).status).toBe(202);
  });

  test("nor where the admin who asked chose the delegate", async () => {
    await acme.policy(stage([ana, cleo]));
    expect((await putFor(ada, ana, ben)).status).toBe(200);
    expect(codeOf(await acme.decide(ben, await asked({ requester: ada.userId })))).toEqual(NO_VOTE);
    expect((await acme.decide(ben, await asked({ requester: dora.userId }))).status).toBe(202);
  });

  test("an admin gives nobody's vote to themselves, over another neither", async () => {
    await acme.policy(stage([ana, cleo]));
    expect(fieldsOf(await putFor(ada, ana, ada))).toEqual([422, ["delegateUserId"]]);
    expect((await putFor(ada, ana, ben)).status).toBe(200);
    await away(ben, ada);
    const request = await asked();
    expect(codeOf(await acme.decide(ada, request))).toEqual(NO_VOTE);
    // Chosen by Ana herself it is fine.
    await away(ana, ben);
    expect((await acme.decide(ada, request)).status).toBe(202);
  });

  test("a key, an agent or a service account of who asked is the person behind it", async () => {
    await acme.policy(stage([ana, cleo]));
    await away(ana, ada);
    const request = await asked();
    const [{ task_id: taskId }] = await acme.sql("SELECT task_id FROM input_request WHERE id = $1", [
      request.id,
    ]);
    const requestedBy = (actor: object) =>
      acme.sql("UPDATE task SET requested_by = $1 WHERE id = $2", [JSON.stringify(actor), taskId]);
    const make = async (person: Voter) => {
      const key = await web.call("POST", "/api/v1/api-keys", {
        cookie: ada.cookie,
        body: { name: uuidv7(), role: "approver" },
      });
      await acme.sql("UPDATE api_key SET created_by = $1 WHERE id = $2", [person.userId, key.body.id]);
      const agent = uuidv7();
      await acme.sql(
        "INSERT INTO agent_credential (organization_id, id, name, role, secret_hash, created_by) VALUES ($1, $2, 'A', 'viewer', $3, $4)",
        [acme.id, agent, agent, person.userId],
      );
      return [
        { kind: "key", id: key.body.id, name: "k" },
        { kind: "agent", id: agent, name: "A" },
      ];
    };
    for (const actor of await make(ana)) {
      await requestedBy(actor);
      expect(codeOf(await acme.decide(ada, request))).toEqual(NO_VOTE);
    }
    for (const actor of await make(ada)) {
      await requestedBy(actor);
      expect(codeOf(await acme.decide(ada, request))).toEqual([403, "four_eyes"]);
    }
    await requestedBy({ kind: "member", id: dora.userId, name: "Dora" });
    expect((await acme.decide(ada, request)).status).toBe(202);
  });

  test("a key has no vote for its maker's absent colleague, and takes none of theirs", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ada);
    const key = await acme.keyOf(ada);
    const request = await asked();
    expect(codeOf(await acme.decide({ key }, request))).toEqual(NO_VOTE);
    expect((await acme.read({ key }, request)).approval).toMatchObject({ canVote: false, votesFor: null });
    expect((await acme.decide(ada, request)).status).toBe(202);
    expect(codeOf(await acme.decide({ key }, request))).toEqual([409, "already_voted"]);
    expect(codeOf(await acme.takeBack({ key }, request))).toEqual([404, "not_found"]);
  });

  test("where a second person is required, those who count as one fill one place", async () => {
    await acme.policy(stage([ana, cleo, dora], { need: 2 }));
    await away(ana, ben);
    await acme.sql("UPDATE maker SET invited_by = $1 WHERE user_id = $2", [cleo.userId, ben.userId]);
    await web.call("PATCH", "/api/v1/organization", { cookie: olga.cookie, body: { fourEyes: true } });
    const request = await asked();
    await acme.decide(cleo, request);
    // Ben, who would vote for Ana, is one person with Cleo.
    expect(codeOf(await acme.decide(ben, request))).toEqual([403, "four_eyes"]);
    const other = await asked();
    expect((await acme.decide(ben, other)).status).toBe(202);
    expect(codeOf(await acme.decide(cleo, other))).toEqual([403, "four_eyes"]);
    expect((await acme.decide(dora, other)).body.state).toBe("answered");
    // Nor does anybody vote for whoever is one person with who asked.
    await acme.sql("UPDATE maker SET invited_by = NULL WHERE user_id = $1", [ben.userId]);
    await acme.sql("UPDATE maker SET invited_by = $1 WHERE user_id = $2", [vic.userId, ana.userId]);
    expect(codeOf(await acme.decide(ben, await asked({ requester: vic.userId })))).toEqual(NO_VOTE);
    expect((await acme.decide(ben, await asked({ requester: dora.userId }))).status).toBe(202);
    await acme.sql("UPDATE maker SET invited_by = NULL WHERE user_id = $1", [ana.userId]);
    await acme.sql("ALTER TABLE organization DISABLE TRIGGER USER");
    await acme.sql("UPDATE organization SET four_eyes = false, four_eyes_until = NULL WHERE id = $1", [
      acme.id,
    ]);
    await acme.sql("ALTER TABLE organization ENABLE TRIGGER USER");
  });

  test("the database refuses a second vote of either person, and one for another by a key", async () => {
    await acme.policy(stage([ana, cleo, ben], { need: 3 }));
    const request = await asked();
    const actor = (person: Voter) => JSON.stringify({ kind: "member", id: person.userId, name: "N" });
    const insert = (person: Voter, by: string, onBehalfOf: string | null) =>
      acme.sql(
        `INSERT INTO vote (organization_id, id, input_request_id, stage, question_hash, content_digest, action, rejects, person,
          cast_by, on_behalf_of) VALUES ($1, $2, $3, 0, 'q', 'c', 'accept', false, $4, $5, $6)`,
        [acme.id, uuidv7(), request.id, person.userId, by, onBehalfOf],
      );
    await insert(ana, actor(ben), actor(ana));
    const taken = "somebody of this vote has voted";
    await expect(insert(ben, actor(ben), null)).rejects.toThrow(taken);
    await expect(insert(ana, actor(ana), null)).rejects.toThrow(taken);
    await expect(insert(cleo, actor(ben), actor(cleo))).rejects.toThrow(taken);
    await expect(insert(ben, actor(dora), actor(ben))).rejects.toThrow(taken);
    const key = JSON.stringify({ kind: "key", id: dora.userId, name: "k" });
    await expect(insert(cleo, key, actor(cleo))).rejects.toThrow("vote_for_another");
    await expect(insert(cleo, actor(dora), actor(ana))).rejects.toThrow("vote_for_another");
    await insert(cleo, actor(cleo), null);
  });
});

describe("a delegate's vote", () => {
  test("is the absent one's, named as both, and neither votes again in the stage", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ben);
    const request = await asked();
    const { approval } = await acme.read(ben, request);
    expect(approval).toMatchObject({
      canVote: true,
      why: "approver",
      votesFor: { id: ana.userId, name: "Ana" },
      away: [{ id: ana.userId, name: "Ana" }],
    });
    expect((await acme.read(cleo, request)).approval).toMatchObject({
      votesFor: null,
      away: [{ name: "Ana" }],
    });
    const voted = await acme.decide(ben, request);
    expect(voted.body.approval).toMatchObject({
      stages: [
        {
          missing: 1,
          votes: [{ by: { name: "Ben" }, person: ana.userId, onBehalfOf: { id: ana.userId, name: "Ana" } }],
        },
      ],
      canVote: false,
      why: "already_voted",
      mine: { stage: "Finance", canTakeBack: true },
      away: [],
    });
    for (const who of [ana, ben])
      expect(codeOf(await acme.decide(who, request))).toEqual([409, "already_voted"]);
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
    const lines = await acme.lines(request);
    expect(lines.filter(({ type }) => type === "vote.recorded")[0]?.data).toMatchObject({
      onBehalfOf: { id: ana.userId, name: "Ana" },
    });
    expect(lines.at(-1)?.data).toMatchObject({
      votes: [{ by: { name: "Ben" }, onBehalfOf: { name: "Ana" } }, { by: { name: "Cleo" } }],
    });
  });

  test("is their own where they have one, and fills no second place", async () => {
    await acme.policy(stage([ana, ben], { need: 2 }));
    await away(ana, ben);
    const request = await asked();
    expect((await acme.read(ben, request)).approval.votesFor).toBeNull();
    await acme.decide(ben, request);
    expect(await cast(request)).toEqual(["ben by ben"]);
    expect(codeOf(await acme.decide(ben, request))).toEqual([409, "already_voted"]);
    expect((await acme.decide(ana, request)).body.state).toBe("answered");
  });

  test("for one of two who are away keeps them from the other's place", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ben);
    await away(cleo, ben);
    const request = await asked();
    await acme.decide(ben, request);
    expect((await acme.read(ben, request)).approval).toMatchObject({ canVote: false, why: "already_voted" });
    expect(codeOf(await acme.decide(ben, request))).toEqual([409, "already_voted"]);
    expect(await cast(request)).toHaveLength(1);
  });

  test("is taken back by either, and the absent one votes herself then", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ben);
    const request = await asked();
    await acme.decide(ben, request);
    expect((await acme.takeBack(ben, request)).status).toBe(200);
    await acme.decide(ben, request);
    expect((await acme.takeBack(ana, request)).status).toBe(200);
    await acme.decide(ana, request);
    expect(await cast(request)).toEqual(["ana by ana"]);
    expect(codeOf(await acme.decide(ben, request))).toEqual(NO_VOTE);
    const taken = (await acme.lines(request)).filter(({ type }) => type === "vote.taken_back");
    expect(taken.map(({ data }) => data)).toMatchObject([
      { onBehalfOf: { name: "Ana" } },
      { onBehalfOf: { name: "Ana" } },
    ]);
  });

  test("counts by the role of the absent one", async () => {
    await acme.stages({ name: "Admins", approvers: { roles: ["admin"] } });
    await away(ada, ben);
    const request = await asked();
    expect(codeOf(await acme.decide(cleo, request))).toEqual(NO_VOTE);
    expect((await acme.decide(ben, request)).body.state).toBe("answered");
    expect(await cast(request)).toEqual(["ada by ben"]);
  });
});

describe("at once, exactly one vote counts", () => {
  test.each([1, 2])("of the delegate and who is away, round %i", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ben);
    for (let round = 0; round < 5; round++) {
      const request = await asked();
      const replies = await Promise.all([ben, ana, ben, ana].map((who) => acme.decide(who, request)));
      // Once Ana has voted, Ben has nobody to vote for.
      expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
      expect(replies.every(({ status }) => [202, 403, 409].includes(status))).toBe(true);
      expect(await cast(request)).toHaveLength(1);
    }
  });

  test.each([1, 2])("of two delegates of one person, round %i", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ben);
    // Both may: Ben looks in, and Dora stands in for him.
    await away(ben, dora);
    for (let round = 0; round < 5; round++) {
      const request = await asked();
      const replies = await Promise.all([ben, dora, ben, dora].map((who) => acme.decide(who, request)));
      expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
      expect(replies.every(({ status }) => [202, 403, 409].includes(status))).toBe(true);
      expect(await cast(request)).toHaveLength(1);
    }
  });

  test.each([1, 2])("of one delegate for two who are away, round %i", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    await away(ana, ben);
    await away(cleo, ben);
    for (let round = 0; round < 5; round++) {
      const request = await asked();
      const replies = await Promise.all([ben, ben, ben].map((who) => acme.decide(who, request)));
      expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
      expect(await cast(request)).toHaveLength(1);
    }
  });
});

describe("an absence", () => {
  test("goes on from a delegate who is away as well, over three at most", async () => {
    await acme.policy(stage([ana]));
    const hal = await acme.person("Hal", "approver");
    await away(ana, ben);
    await away(ben, cleo);
    await away(cleo, dora);
    await away(dora, hal);
    const request = await asked();
    for (const who of [ben, cleo, dora])
      expect((await acme.read(who, request)).approval.votesFor).toMatchObject({ name: "Ana" });
    expect(codeOf(await acme.decide(hal, request))).toEqual(NO_VOTE);
    expect((await acme.decide(dora, request)).body.state).toBe("answered");
    expect(await cast(request)).toEqual(["ana by dora"]);
  });

  test("closes no cycle at one time, and one that is there does no harm", async () => {
    await acme.policy(stage([ana]));
    await away(ana, ben);
    await away(ben, cleo);
    expect(fieldsOf(await put(cleo, ana))).toEqual([422, ["delegateUserId"]]);
    expect(fieldsOf(await put(ben, ana))).toEqual([422, ["delegateUserId"]]);
    // After they are back it closes none.
    expect((await put(cleo, ana, { from: inHours(49), until: inHours(50) })).status).toBe(200);
    await acme.sql(
      "UPDATE away SET starts_at = now() - interval '1 hour', ends_at = now() + interval '1 hour'",
    );
    const request = await asked();
    expect((await acme.read(ana, request)).approval).toMatchObject({ canVote: true, votesFor: null });
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
  });

  test.each([1, 2])("of two that close a cycle at once one is refused, round %i", async () => {
    for (let round = 0; round < 5; round++) {
      await acme.sql("DELETE FROM away");
      const replies = await Promise.all([put(ana, ben), put(ben, ana)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
      expect(await acme.sql("SELECT FROM away")).toHaveLength(1);
    }
  });

  test("counts for each rule whose stages a request has, also behind one that can't be applied", async () => {
    const [first] = stage([ana]).rules;
    const odd = { ...stage([cleo]).rules[0]!, name: "Odd", when: "task.arguments.limit > 3.0" };
    await acme.policy({ rules: [odd, first] });
    const votesFor = async (rules: string[]) => {
      await away(ana, ben, { scope: { rules } });
      const request = await asked();
      expect((await acme.decide(cleo, request)).status).toBe(202);
      const { approval } = await acme.read(ben, request);
      const isListed = (
        await web.call("GET", "/api/v1/input-requests?waiting=me&limit=200", { cookie: ben.cookie })
      ).body.items.some(({ id }: { id: string }) => id === request.id);
      return [approval.rule, approval.votesFor?.name ?? null, isListed, request];
    };
    expect((await votesFor(["Others"])).slice(0, 3)).toEqual(["Odd", null, false]);
    for (const rules of [["All"], ["Odd"]]) {
      const [rule, name, isListed, request] = await votesFor(rules);
      expect([rule, name, isListed]).toEqual(["Odd", "Ana", true]);
      expect((await acme.decide(ben, request)).status).toBe(202);
    }
    // What was asked before has the first name alone.
    const [, , , request] = await votesFor(["All"]);
    await acme.sql("UPDATE input_request SET approval = approval - 'rules' WHERE id = $1", [request.id]);
    expect((await acme.read(ben, request)).approval.votesFor).toBeNull();
    await away(ana, ben, { scope: { rules: ["Odd"] } });
    expect((await acme.read(ben, request)).approval.votesFor).toMatchObject({ name: "Ana" });
  });

  test("passes on within each scope, be each for another of the request's rules", async () => {
    const odd = { ...stage([cleo]).rules[0]!, name: "Odd", when: "task.arguments.limit > 3.0" };
    await acme.policy({ rules: [odd, ...stage([ana]).rules] });
    await away(ana, ben, { scope: { rules: ["All"] } });
    await away(ben, dora, { scope: { rules: ["Odd"] } });
    const request = await asked();
    expect((await acme.decide(cleo, request)).status).toBe(202);
    expect((await acme.read(dora, request)).approval.votesFor).toMatchObject({ name: "Ana" });
    await away(ben, dora, { scope: { rules: ["Others"] } });
    expect((await acme.read(dora, request)).approval.votesFor).toBeNull();
  });

  test("counts within its scope alone", async () => {
    await acme.policy(stage([ana]));
    const holds = async (scope: object) => {
      await away(ana, ben, { scope });
      return (await acme.read(ben, await asked({ tool: "pay" }))).approval.votesFor !== null;
    };
    expect(await holds({ servers: ["Finance ERP"] })).toBe(true);
    expect(await holds({ tools: ["pay", "other"] })).toBe(true);
    expect(await holds({ rules: ["All"] })).toBe(true);
    expect(await holds({ tools: ["other"] })).toBe(false);
    expect(await holds({ rules: ["Others"] })).toBe(false);
    expect(await holds({ servers: ["Finance ERP"], tools: ["pay"], rules: ["All"] })).toBe(true);
    expect(await holds({ servers: ["Finance ERP"], tools: ["other"] })).toBe(false);
    expect(fieldsOf(await put(ana, ben, { scope: { servers: ["No such"] } }))).toEqual([
      422,
      ["scope.servers.0"],
    ]);
    const request = await asked({ tool: "pay" });
    await away(ana, ben, { scope: { tools: ["other"] } });
    expect(codeOf(await acme.decide(ben, request))).toEqual(NO_VOTE);
    // Each step has a scope of its own.
    await away(ana, ben);
    await away(ben, cleo, { scope: { tools: ["other"] } });
    expect(codeOf(await acme.decide(cleo, request))).toEqual(NO_VOTE);
  });

  test("that has ended between look and vote, or has not begun, gives no vote", async () => {
    await acme.policy(stage([ana]));
    const request = await asked();
    await away(ana, ben, { from: inHours(1) });
    expect(codeOf(await acme.decide(ben, request))).toEqual(NO_VOTE);
    await away(ana, ben);
    expect((await acme.read(ben, request)).approval.canVote).toBe(true);
    await acme.sql("UPDATE away SET ends_at = now() - interval '1 second'");
    expect(codeOf(await acme.decide(ben, request))).toEqual(NO_VOTE);
    await away(ana, ben);
    expect((await back(ana)).status).toBe(204);
    expect(codeOf(await acme.decide(ben, request))).toEqual(NO_VOTE);
  });

  test("gives nothing to who has left, was suspended, or may not answer any more, and ends with its member", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    const [eve, finn, gus] = [
      await acme.person("Eve", "approver"),
      await acme.person("Finn", "approver"),
      await acme.person("Gus", "approver"),
    ];
    await acme.policy(stage([ana, cleo, eve], { need: 2 }));
    const request = await asked();
    const member = (method: "PATCH" | "DELETE", who: Voter, body?: object) =>
      web.call(method, `/api/v1/members/${who.memberId}`, { cookie: olga.cookie, ...(body && { body }) });
    await away(ana, gus);
    expect((await acme.read(gus, request)).approval.canVote).toBe(true);
    expect((await member("PATCH", gus, { role: "viewer" })).status).toBe(200);
    expect((await acme.decide(gus, request)).status).toBe(403);
    expect((await acme.read(gus, request)).approval).toMatchObject({ canVote: false, votesFor: null });
    // In the middle of a chain neither.
    await member("PATCH", gus, { role: "approver" });
    await away(gus, finn);
    expect((await acme.read(finn, request)).approval.votesFor).toMatchObject({ name: "Ana" });
    await member("PATCH", gus, { role: "viewer" });
    expect(codeOf(await acme.decide(finn, request))).toEqual(NO_VOTE);
    await member("PATCH", gus, { role: "approver" });
    await web.call("POST", `/api/v1/members/${gus.memberId}/suspend`, { cookie: olga.cookie });
    expect(codeOf(await acme.decide(finn, request))).toEqual(NO_VOTE);
    expect((await acme.decide(gus, request)).status).toBe(401);
    expect((await web.call("GET", "/api/v1/me/away", { cookie: ana.cookie })).body).toMatchObject({
      delegate: { name: "Gus" },
    });

    await away(eve, finn);
    expect((await acme.read(finn, request)).approval.votesFor).toMatchObject({ name: "Eve" });
    await member("DELETE", eve);
    expect(codeOf(await acme.decide(finn, request))).toEqual(NO_VOTE);
    expect(await acme.sql("SELECT FROM away WHERE user_id = $1", [eve.userId])).toEqual([]);
  });

  test("is one of its organization", async () => {
    const globex = await votingOrganization(web, "globex");
    const gina = await globex.person("Gina", "approver");
    await acme.sql(
      "INSERT INTO membership (organization_id, id, user_id, role) VALUES ($1, $2, $3, 'approver')",
      [globex.id, uuidv7(), ana.userId],
    );
    await globex.policy({
      rules: [{ name: "All", stages: [{ name: "One", approvers: { people: [ana.email] } }] }],
    });
    await away(ana, ben);
    const request = await globex.ask(await globex.task());
    expect(codeOf(await globex.decide(gina, request))).toEqual(NO_VOTE);
    expect((await globex.read(gina, request)).approval.away).toEqual([]);
    expect(fieldsOf(await put(ana, gina))).toEqual([422, ["delegateUserId"]]);
    const path = `/api/v1/members/${ana.memberId}/away`;
    const admin = await globex.person("Gus", "admin");
    for (const method of ["GET", "DELETE"] as const)
      expect(codeOf(await web.call(method, path, { cookie: admin.cookie }))).toEqual([404, "not_found"]);
    expect(codeOf(await putFor(admin, ana, gina))).toEqual([404, "not_found"]);
  });
});

describe("setting it", () => {
  test("says what is wrong, and where", async () => {
    const until = inHours(48);
    expect(fieldsOf(await put(ana, ana))).toEqual([422, ["delegateUserId"]]);
    expect(fieldsOf(await put(ana, vic))).toEqual([422, ["delegateUserId"]]);
    expect(fieldsOf(await put(ana, ben, { delegateUserId: uuidv7() }))).toEqual([422, ["delegateUserId"]]);
    expect(fieldsOf(await put(ana, ben, { from: until, until }))).toEqual([422, ["until"]]);
    expect(fieldsOf(await put(ana, ben, { from: inHours(-9), until: inHours(-8) }))).toEqual([
      422,
      ["until"],
    ]);
    expect(fieldsOf(await put(ana, ben, { until: inHours(367 * 24) }))).toEqual([422, ["until"]]);
    expect(fieldsOf(await put(ana, ben, { from: inHours(9000), until: inHours(9001) }))).toEqual([
      422,
      ["from"],
    ]);
    expect(fieldsOf(await put(ana, ben, { reason: "x".repeat(501) }))).toEqual([422, ["reason"]]);
    expect(fieldsOf(await put(ana, ben, { scope: {} }))).toEqual([422, ["scope"]]);
    expect(await acme.sql("SELECT FROM away")).toEqual([]);
  });

  test("is the member's own or an admin's, of an owner an owner's, and never a key's", async () => {
    expect((await web.call("GET", "/api/v1/me/away", { cookie: ana.cookie })).body).toBeNull();
    const set = await away(ana, ben, { reason: " Lisbon " });
    expect(set).toMatchObject({
      delegateUserId: ben.userId,
      delegate: { name: "Ben" },
      scope: null,
      reason: "Lisbon",
      setBy: { name: "Ana" },
    });
    const path = (who: Voter) => `/api/v1/members/${who.memberId}/away`;
    expect((await web.call("GET", path(ana), { cookie: ada.cookie })).body).toEqual(set);
    expect((await web.call("GET", path(ana), { cookie: ben.cookie })).status).toBe(403);
    expect((await putFor(ben, ana, cleo)).status).toBe(403);
    expect((await putFor(ada, ana, cleo)).body).toMatchObject({
      delegate: { name: "Cleo" },
      setBy: { id: ada.userId },
    });
    expect((await putFor(ada, olga, cleo)).status).toBe(403);
    expect((await web.call("DELETE", path(olga), { cookie: ada.cookie })).status).toBe(403);
    const key = await acme.keyOf(ada, "admin");
    expect((await putFor({ key }, ana, cleo)).status).toBe(403);
    expect((await web.call("DELETE", path(ana), { key })).status).toBe(403);
    for (const method of ["GET", "DELETE"] as const)
      expect((await web.call(method, "/api/v1/me/away", { key })).status).toBe(403);
    expect((await web.call("DELETE", path(ana), { cookie: ada.cookie })).status).toBe(204);
    expect((await web.call("DELETE", path(ana), { cookie: ada.cookie })).status).toBe(204);
    expect((await web.call("GET", "/api/v1/me/away", { cookie: ana.cookie })).body).toBeNull();
  });

  test("is in the history, once for what is the same", async () => {
    const since = async () =>
      (await acme.sql("SELECT type, data, actor FROM event WHERE type LIKE 'away.%' ORDER BY seq")) as {
        type: string;
        data: object;
        actor: { name: string };
      }[];
    const before = (await since()).length;
    const fixed = { from: inHours(-1), until: inHours(5), reason: "Lisbon" };
    await away(ana, ben, fixed);
    await away(ana, ben, fixed);
    await putFor(ada, ana, ben, fixed);
    await back(ana);
    await back(ana);
    const lines = (await since()).slice(before);
    expect(lines.map(({ type, actor }) => `${type} ${actor.name}`)).toEqual([
      "away.set Ana",
      "away.set Ada",
      "away.ended Ana",
    ]);
    expect(lines[0]?.data).toMatchObject({
      userId: ana.userId,
      name: "Ana",
      delegate: { id: ben.userId, name: "Ben" },
      reason: "Lisbon",
    });
  });
});

test("who stands in, or said so, may leave: the absence is shown, and can be set anew", async () => {
  const [una, uwe] = [await acme.person("Una", "approver"), await acme.person("Uwe", "admin")];
  expect((await putFor(uwe, ana, una)).status).toBe(200);
  for (const { memberId } of [una, uwe])
    expect((await web.call("DELETE", `/api/v1/members/${memberId}`, { cookie: olga.cookie })).status).toBe(
      204,
    );
  const read = await web.call("GET", "/api/v1/me/away", { cookie: ana.cookie });
  expect([read.status, read.body.delegate, read.body.setBy]).toEqual([
    200,
    { id: una.userId, name: "a former member" },
    { id: uwe.userId, name: "a former member" },
  ]);
  expect((await putFor(ada, ana, ben)).status).toBe(200);
});

describe("lists", () => {
  const waiting = async (who: Voter, request: { id: string }) => {
    const { body } = await web.call("GET", "/api/v1/input-requests?state=open&waiting=me&limit=200", {
      cookie: who.cookie,
    });
    return body.items.some(({ id }: { id: string }) => id === request.id);
  };
  const count = async (who: Voter) =>
    (await web.call("GET", "/api/v1/input-requests/counts", { cookie: who.cookie })).body.waiting as number;

  test("show a vote for who is away as waiting, and count it, until it is cast", async () => {
    await acme.policy(stage([ana, cleo], { need: 2 }));
    const request = await asked();
    expect(await waiting(ben, request)).toBe(false);
    const before = await count(ben);
    await away(ana, ben);
    expect(await waiting(ben, request)).toBe(true);
    expect(await count(ben)).toBeGreaterThan(before);
    await acme.decide(ben, request);
    expect([await waiting(ben, request), await waiting(ana, request)]).toEqual([false, false]);
  });

  test("show what is assigned to who is away to the delegate too, where any one approver decides", async () => {
    await acme.policy({ rules: [] });
    const request = await asked({ tool: "pay" });
    const assigned = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
      cookie: ada.cookie,
      body: { memberId: ana.memberId },
    });
    expect(assigned.status).toBe(200);
    expect([await waiting(ana, request), await waiting(ben, request)]).toEqual([true, false]);
    await away(ana, ben, { scope: { tools: ["pay"] } });
    expect([await waiting(ana, request), await waiting(ben, request), await waiting(cleo, request)]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await acme.read(ben, request)).standsInFor).toMatchObject({ id: ana.userId, name: "Ana" });
    expect((await acme.read(cleo, request)).standsInFor).toBeNull();
    for (const scope of [{ tools: ["other"] }, { rules: ["All"] }]) {
      await away(ana, ben, { scope });
      expect(await waiting(ben, request)).toBe(false);
    }
  });

  test("show nothing of a private task to the delegate, also where it is assigned to who is away", async () => {
    await acme.policy({ rules: [] });
    const request = await asked({ visibility: "private", requester: cleo.userId });
    await acme.sql("UPDATE input_request SET assignee_user_id = $1 WHERE id = $2", [ana.userId, request.id]);
    await away(ana, ben);
    expect(await waiting(ana, request)).toBe(true);
    expect(await waiting(ben, request)).toBe(false);
    expect((await acme.read(ben, request)).code).toBe("not_found");
    expect((await acme.decide(ben, request)).status).toBe(404);
  });
});
