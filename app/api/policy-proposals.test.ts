/** Changes of the policy that need a second admin. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Role } from "@/lib/access/roles.ts";
import { createDatabase } from "@/lib/base/db/db.ts";
import { webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}
type Credential = { cookie: string } | { key: string };

const web = webForFile();
let acme: string;
/** Whom the operator made: three people. */
let ana: Person;
let otto: Person;
let adam: Person;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  ana = await web.member(acme, "Ana", "owner");
  otto = await web.member(acme, "Otto", "owner");
  adam = await web.member(acme, "Adam", "admin");
  expect((await rule(ana, true)).body.twoPersonPolicy).toBe(true);
});

const rule = (who: Credential, twoPersonPolicy: boolean) =>
  web.call("PATCH", "/api/v1/organization", { ...who, body: { twoPersonPolicy } });
const policy = (name: string) => ({
  groups: {},
  rules: [{ name, stages: [{ name: "Owners", approvers: { roles: ["owner"] } }] }],
});
const save = (who: Credential, version: number, name: string) =>
  web.call("PUT", "/api/v1/policy", {
    ...who,
    body: policy(name),
    headers: { "if-match": String(version) },
  });
const propose = async (who: Credential, name: string, version = 0): Promise<string> => {
  const proposed = await save(who, version, name);
  expect([proposed.status, Object.keys(proposed.body)]).toEqual([202, ["proposalId"]]);
  return proposed.body.proposalId;
};
const decide = (who: Credential, id: string, what: "approve" | "withdraw" = "approve") =>
  web.call("POST", `/api/v1/policy/proposals/${id}/${what}`, who);
const list = async (who: Credential) => (await web.call("GET", "/api/v1/policy/proposals", who)).body.items;
const rules = async () =>
  (await web.call("GET", "/api/v1/policy", ana)).body.policy.rules.map(({ name }: { name: string }) => name);
const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);

/** A member who counts as one person with who let them in. */
async function invitedBy(inviter: Person, name: string, role: Role): Promise<Person> {
  const guest = await web.member(acme, name, role);
  await sql("UPDATE maker SET invited_by = $1 WHERE organization_id = $2 AND user_id = $3", [
    inviter.userId,
    acme,
    guest.userId,
  ]);
  return guest;
}

describe("a change", () => {
  test("counts once a second admin has approved it, and not before", async () => {
    const id = await propose(adam, "New");
    expect(await rules()).toEqual([]);
    expect(await list(adam)).toMatchObject([
      { id, by: { name: "Adam" }, mayApprove: false, changes: { added: [{ name: "New" }] } },
    ]);
    expect(await list(otto)).toMatchObject([{ id, mayApprove: true, policy: { rules: [{ name: "New" }] } }]);
    const approved = await decide(otto, id);
    expect([approved.status, approved.body.version]).toEqual([200, 1]);
    expect(await rules()).toEqual(["New"]);
    expect(await list(otto)).toEqual([]);
    const [line] = (await web.call("GET", "/api/v1/events?type=policy.changed", ana)).body.items;
    expect(line).toMatchObject({
      actor: { name: "Otto" },
      data: { version: 1, proposalId: id, proposedBy: "Adam", added: [{ name: "New" }] },
    });
    expect((await decide(otto, id)).status).toBe(404);
  });

  test("is not approved by who proposed it, by keys, by whom they invited, or by who may not", async () => {
    const { secret } = (
      await web.call("POST", "/api/v1/api-keys", {
        ...adam,
        body: { name: "k", role: "admin", permissions: ["settings:manage", "settings:read"] },
      })
    ).body;
    const guest = await invitedBy(adam, "Guest", "admin");
    const approver = await web.member(acme, "Ben", "approver");
    const [byAdam, byKey] = [await propose(adam, "Own"), await propose({ key: secret }, "By key")];
    expect((await decide(otto, byAdam)).status).toBe(404);
    for (const [who, code] of [
      [adam, "same_maker"],
      [guest, "same_maker"],
      [{ key: secret }, "forbidden"],
      [{ key: await web.key(acme, "owner") }, "forbidden"],
      [approver, "forbidden"],
    ] as const) {
      const refused = await decide(who, byKey);
      expect([refused.status, refused.body.code]).toEqual([403, code]);
    }
    const elsewhere = await web.member(await web.organization(`globex-${made}`), "Greta", "owner");
    expect((await decide(elsewhere, byKey)).status).toBe(404);
    expect(await list(elsewhere)).toEqual([]);
    expect(await rules()).toEqual([]);
    expect((await decide(otto, byKey)).status).toBe(200);
    expect(await rules()).toEqual(["By key"]);
  });

  test("is withdrawn by any admin, and overtaken by another one that counts", async () => {
    const [first, second] = [await propose(adam, "First"), await propose(ana, "Second")];
    expect((await decide(adam, second, "withdraw")).status).toBe(204);
    expect((await decide(otto, second)).status).toBe(404);
    const third = await propose(ana, "Third");
    expect((await decide(otto, third)).status).toBe(200);
    expect(await list(otto)).toEqual([]);
    expect((await decide(otto, first)).status).toBe(404);
    const states = await sql("SELECT id, state FROM policy_proposal WHERE organization_id = $1 ORDER BY id", [
      acme,
    ]);
    expect(states.map(({ state }) => state)).toEqual(["overtaken", "withdrawn", "approved"]);
  });

  test("is approved once by two at the same time, and of two changes one counts", async () => {
    const [one, other] = [await propose(adam, "One"), await propose(ana, "Other")];
    const both = await Promise.all([decide(otto, one), decide(otto, one), decide(otto, other)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(await sql("SELECT version FROM policy_version WHERE organization_id = $1", [acme])).toHaveLength(
      1,
    );
  });

  test("whose address means somebody else by now is not approved", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const address = `ben-${acme}@test.example`;
    const proposed = await web.call("PUT", "/api/v1/policy", {
      ...adam,
      body: { groups: {}, rules: [{ name: "R", stages: [{ name: "S", approvers: { people: [address] } }] }] },
      headers: { "if-match": "0" },
    });
    const swap = async (of: Person, to: string) =>
      sql('UPDATE "user" SET email = $1 WHERE id = $2', [to, of.userId]);
    const mallory = await web.member(acme, "Mallory", "approver");
    await swap(ben, `old-${address}`);
    await swap(mallory, address);
    const refused = await decide(otto, proposed.body.proposalId);
    expect([refused.status, refused.body.code]).toEqual([409, "version_changed"]);
    await swap(mallory, `mallory-${acme}@test.example`);
    await swap(ben, address);
    expect((await decide(otto, proposed.body.proposalId)).status).toBe(200);
  });
});

describe("the rule", () => {
  test("is an owner's to begin and needs two people; its end is approved as a change is", async () => {
    expect((await rule(adam, false)).status).toBe(403);
    const asked = await rule(ana, false);
    expect([asked.status, asked.body.twoPersonPolicy]).toEqual([200, true]);
    const [{ id, policy: none }] = await list(otto);
    expect(none).toBeNull();
    expect((await decide(ana, id)).body.code).toBe("same_maker");
    // A change that counts meanwhile does not overtake it.
    expect((await decide(otto, await propose(adam, "New"))).status).toBe(200);
    const pending = await propose(adam, "Later", 1);
    expect((await decide(adam, id)).status).toBe(200);
    expect((await web.call("GET", "/api/v1/organization", ana)).body.twoPersonPolicy).toBe(false);
    expect((await decide(otto, pending)).status).toBe(404);
    expect((await save(adam, 1, "Alone")).status).toBe(200);

    const alone = await web.organization(`alone-${made}`);
    const owner = await web.member(alone, "Olga", "owner");
    const refused = await rule(owner, true);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "twoPersonPolicy"]);
  });

  test("is the database's too", async () => {
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    const run = (text: string) => app.withOrganization(acme, (tx) => tx.$executeRawUnsafe(text));
    await expect(
      run(
        `INSERT INTO policy_version (organization_id, version, policy, people, made_by) VALUES ('${acme}', 1, '{}', '{}', '{}')`,
      ),
    ).rejects.toThrow("a second admin has to approve this policy");
    await expect(run("UPDATE organization SET two_person_policy = false")).rejects.toThrow(
      "a second admin has to approve the end",
    );
    const id = await propose(adam, "New");
    await expect(run("UPDATE policy_proposal SET policy = '{}'")).rejects.toThrow("permission denied");
    await expect(
      run(
        `UPDATE policy_proposal SET state = 'approved', decided_at = now(), approver = '${adam.userId}' WHERE id = '${id}';
         `,
      ).then(() =>
        run(
          `INSERT INTO policy_version (organization_id, version, policy, people, made_by)
           SELECT organization_id, 1, policy, people, '{}' FROM policy_proposal WHERE id = '${id}'`,
        ),
      ),
    ).rejects.toThrow("a second admin has to approve this policy");
    await app.close();
  });
});
