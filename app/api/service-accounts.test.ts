/**
 * Service accounts: their keys outlive whoever made them, rest without an owner, and count as one person with everybody
 * who ever stood behind the account.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { Actor } from "@/lib/access/access-schema.ts";
import type { Role } from "@/lib/access/roles.ts";
import { createDatabase, Prisma, storable } from "@/lib/base/db/db.ts";
import { NOTICES, RESTING_ACCOUNTS } from "@/lib/engine/jobs/notice-jobs.ts";
import { queueRetry } from "@/lib/lifecycle/retry-task.ts";
import { organizationsDue } from "@/test/fixtures/notifications-fixture.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { tokenOf, webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}
type Who = { cookie?: string; key?: string };

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
/** Three people whom the operator made. */
let ana: Person;
let otto: Person;
let ada: Person;
let made = 0;

beforeEach(async () => {
  acme = await web.organization(`acme-${++made}`);
  server = await insertServer(web.db, acme);
  ana = await web.member(acme, "Ana", "owner");
  otto = await web.member(acme, "Otto", "owner");
  ada = await web.member(acme, "Ada", "admin");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const cookieOrKey = ({ cookie, key }: Who) => ({ ...(cookie && { cookie }), ...(key && { key }) });
const create = (who: Who, body: object) =>
  web.call("POST", "/api/v1/service-accounts", {
    ...cookieOrKey(who),
    body: { name: "Billing", role: "operator", ...body },
  });
const change = (who: Who, id: string, body: object) =>
  web.call("PATCH", `/api/v1/service-accounts/${id}`, { ...cookieOrKey(who), body });
const drop = (who: Who, id: string) => web.call("DELETE", `/api/v1/service-accounts/${id}`, cookieOrKey(who));
const listed = async (id: string) =>
  (await web.call("GET", "/api/v1/service-accounts", { cookie: ana.cookie })).body.items.find(
    (each: { id: string }) => each.id === id,
  );
const makeKey = (who: Who, serviceAccountId: string | undefined, role: Role = "operator") =>
  web.call("POST", "/api/v1/api-keys", {
    ...cookieOrKey(who),
    body: { name: "k", role, ...(serviceAccountId && { serviceAccountId }) },
  });
const use = async (key: string) => {
  const { status, body } = await web.call("GET", "/api/v1/me", { key });
  return [status, body.code ?? body.role];
};
const RESTS = [403, "service_account_rests"];
const role = (person: Person, to: Role) =>
  sql("UPDATE membership SET role = $2 WHERE id = $1", [person.memberId, to]);
const remove = (person: Person) =>
  web.call("DELETE", `/api/v1/members/${person.memberId}`, { cookie: otto.cookie });
const types = async () =>
  (
    await sql(
      "SELECT type FROM event WHERE organization_id = $1 AND type LIKE 'service_account.%' ORDER BY seq",
      [acme],
    )
  ).map(({ type }) => type.slice("service_account.".length));

/** An account of `owner`'s with a key that `maker` made. */
async function account(owner: Person, maker: Who, of: Role = "operator") {
  const { status, body } = await create(ana, {
    name: `Billing ${++made}`,
    role: of,
    ownerId: owner.memberId,
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  const key = await makeKey(maker, body.id, of);
  expect([key.status, key.body.detail]).toEqual([201, undefined]);
  return { id: body.id as string, keyId: key.body.id as string, key: key.body.secret as string };
}

describe("a key of a service account", () => {
  test("goes on when whoever made it leaves, and says whose it is and who made it", async () => {
    const { id, key, keyId } = await account(otto, ada);
    await remove(ada);
    expect(await use(key)).toEqual([200, "operator"]);
    const { items } = (await web.call("GET", "/api/v1/api-keys", { cookie: ana.cookie })).body;
    expect(items.find((each: { id: string }) => each.id === keyId)).toMatchObject({
      serviceAccount: { id },
      createdBy: { id: ada.userId, name: "a former member" },
    });
    expect(await listed(id)).toMatchObject({ owner: { name: "Otto" }, suspended: null, keys: 1 });
  });

  test("is refused while nobody answers for the account, and taken again once somebody does", async () => {
    const { id, key } = await account(ada, ana);
    await role(ada, "viewer");
    expect([await use(key), (await listed(id)).suspended]).toEqual([RESTS, "owner_too_weak"]);
    await role(ada, "operator");
    expect(await use(key)).toEqual([200, "operator"]);
    await remove(ada);
    expect([await use(key), (await listed(id)).suspended]).toEqual([RESTS, "owner_gone"]);
    expect((await change(otto, id, { ownerId: otto.memberId })).body).toMatchObject({
      suspended: null,
      owner: { name: "Otto" },
    });
    expect(await use(key)).toEqual([200, "operator"]);
  });

  test("is refused while its owner is suspended", async () => {
    const { key } = await account(ada, ana);
    const suspended = await web.call("POST", `/api/v1/members/${ada.memberId}/suspend`, {
      cookie: otto.cookie,
    });
    expect(suspended.status).toBeLessThan(300);
    expect(await use(key)).toEqual(RESTS);
  });

  test("leaves nothing that goes on by itself while the account is suspended", async () => {
    const { id, keyId } = await account(otto, ana);
    const failed = async () => {
      const taskId = await insertTask(web.db, acme, server, { state: "failed" });
      await sql(
        `UPDATE task SET attempts = 3, retry_backoff_ms = 1000,
          requested_by = jsonb_build_object('kind', 'key', 'id', $2::text, 'name', 'x') WHERE id = $1`,
        [taskId, keyId],
      );
      return taskId;
    };
    const retried = async () => {
      const taskId = await failed();
      const { length } = await web.db.withOrganization(acme, (tx) => queueRetry(tx, taskId));
      return length > 0;
    };
    expect(await retried()).toBe(true);
    await change(ana, id, { suspended: true });
    expect(await retried()).toBe(false);
    await change(ana, id, { suspended: false, role: "approver" });
    expect(await retried()).toBe(false);
    await change(ana, id, { role: "operator" });
    await role(otto, "viewer");
    expect(await retried()).toBe(false);
  });

  test("is refused while an admin has the account rest", async () => {
    const { id, key } = await account(otto, ana);
    expect((await change(ada, id, { suspended: true })).body.suspended).toBe("by_admin");
    expect(await use(key)).toEqual(RESTS);
    expect((await change(ada, id, { suspended: false })).body.suspended).toBeNull();
    expect(await use(key)).toEqual([200, "operator"]);
    expect(await types()).toEqual(["created", "rested", "resumed"]);
  });

  test("is never stronger than the account, whatever it was made for", async () => {
    const { id, key } = await account(otto, ana, "admin");
    expect((await change(ana, id, { role: "viewer" })).status).toBe(200);
    expect(await use(key)).toEqual([200, "viewer"]);
    expect((await makeKey(ana, id, "operator")).status).toBe(422);
    expect((await makeKey(ana, id, "viewer")).status).toBe(201);
  });

  test("ends with the account", async () => {
    const { id, key } = await account(otto, ana);
    expect((await drop(ada, id)).status).toBe(204);
    expect(await use(key)).toEqual([401, "unauthenticated"]);
    expect([await listed(id), (await drop(ada, id)).status]).toEqual([undefined, 404]);
    expect((await makeKey(ana, id)).status).toBe(404);
    // Its name is free again.
    expect((await create(ana, { name: "Billing", ownerId: otto.memberId })).status).toBe(201);
    expect((await create(ana, { name: "billing", ownerId: otto.memberId })).body.code).toBe("name_taken");
  });

  test("is not taken by a web process of before, nor for a key of nobody's", async () => {
    const { keyId } = await account(otto, ana);
    for (const gate of ["find_api_key", "api_key"]) {
      const [old] = await sql(
        `SELECT count(*)::int AS found FROM gate.${gate}((SELECT secret_hash FROM api_key WHERE id = $1))`,
        [keyId],
      );
      expect([gate, old.found]).toEqual([gate, 0]);
    }
  });

  test("cannot become somebody else's, or nobody's", async () => {
    const { keyId } = await account(otto, ana);
    await expect(sql("UPDATE api_key SET service_account_id = NULL WHERE id = $1", [keyId])).rejects.toThrow(
      "a key stays whose it is",
    );
  });

  test("names the account and its owner wherever it acts", async () => {
    const { key } = await account(otto, ana, "admin");
    await web.call("PATCH", "/api/v1/organization", { key, body: { name: "Acme Ltd" } });
    const [line] = await sql(
      "SELECT actor FROM event WHERE organization_id = $1 AND type = 'organization.renamed'",
      [acme],
    );
    const name = expect.stringMatching(/^Billing \d+ \(Otto\)$/);
    expect(line.actor).toMatchObject({ kind: "key", serviceAccount: true, name });
  });

  test("makes no keys, no accounts, and invites nobody", async () => {
    const { id, key } = await account(otto, ana, "owner");
    const refused = [
      await makeKey({ key }, undefined, "viewer"),
      await makeKey({ key }, id, "viewer"),
      await create({ key }, { ownerId: otto.memberId }),
      await change({ key }, id, { ownerId: ana.memberId }),
      await drop({ key }, id),
      await web.call("POST", "/api/v1/invitations", {
        key,
        body: { email: "x@test.example", role: "viewer" },
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  });
});

describe("a service account", () => {
  test("is no stronger than its owner, and than who makes or changes it", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    expect((await create(ada, { role: "operator", ownerId: ben.memberId })).status).toBe(422);
    expect((await create(ada, { role: "owner", ownerId: otto.memberId })).status).toBe(403);
    const { body } = await create(ada, { role: "approver", ownerId: ben.memberId });
    expect(body).toMatchObject({ role: "approver", owner: { name: "Ben" }, suspended: null, keys: 0 });
    expect((await change(ada, body.id, { role: "operator" })).status).toBe(422);
    expect((await change(ada, body.id, { role: "operator", ownerId: ada.memberId })).status).toBe(200);
    const strong = await account(otto, ana, "owner");
    for (const refused of [
      await change(ada, strong.id, { role: "viewer" }),
      await change(ada, strong.id, { ownerId: ada.memberId }),
      await change(ada, strong.id, { suspended: true }),
      await makeKey(ada, strong.id, "viewer"),
      await drop(ada, strong.id),
    ])
      expect(refused.status).toBe(403);
  });

  test("tells whoever is to answer for it, in their notices and their account's history, and not who takes it", async () => {
    const told = async ({ cookie }: Person) =>
      (await web.call("GET", "/api/v1/notices", { cookie })).body.items.filter(
        ({ cause }: { cause: string }) => cause === "account.service_account_given",
      );
    const { body } = await create(ana, { ownerId: ana.memberId });
    expect(await told(ana)).toEqual([]);
    expect((await change(ana, body.id, { ownerId: otto.memberId })).status).toBe(200);
    await change(ana, body.id, { description: "Invoices" });
    await create(ana, { name: "Mails", ownerId: otto.memberId });
    expect((await told(otto)).map(({ account }: { account: { data: object } }) => account.data)).toEqual([
      { name: "Mails", organization: `acme-${made}`, by: "Ana" },
      { name: "Billing", organization: `acme-${made}`, by: "Ana" },
    ]);
    const events = (await web.call("GET", "/api/v1/me/security-events", { cookie: otto.cookie })).body.items;
    expect(
      events.filter(({ type }: { type: string }) => type === "account.service_account_given"),
    ).toHaveLength(2);
    expect(await told(ana)).toEqual([]);
    expect(await types()).toEqual(["created", "owner_changed", "changed", "created"]);
  });

  test("is given to nobody of another organization", async () => {
    const globex = await web.organization(`globex-${made}`);
    const gus = await web.member(globex, "Gus", "owner");
    const { id } = await account(otto, ana);
    expect((await create(ana, { ownerId: gus.memberId })).status).toBe(404);
    expect((await change(ana, id, { ownerId: gus.memberId })).status).toBe(404);
    expect((await change(gus, id, { name: "Mine" })).status).toBe(404);
  });

  test("is not given to a member who leaves at the same moment", async () => {
    const { id, key } = await account(otto, ana);
    await Promise.all([change(ana, id, { ownerId: ada.memberId }), remove(ada)]);
    const { owner, suspended } = await listed(id);
    // Whichever was first: it is Otto's still, or suspended.
    expect([owner?.name ?? null, suspended, (await use(key))[0]]).toEqual(
      owner ? ["Otto", null, 200] : [null, "owner_gone", 403],
    );
  });
});

describe("those who can give a resting account another owner", () => {
  test("are told once that it is suspended, and no more when it is not", async () => {
    const { id } = await account(ada, ana);
    const engine = createDatabase(web.database.engineUrl);
    const told = async ({ userId }: Person) =>
      (
        await sql("SELECT cause FROM notice WHERE user_id = $1 AND subject = $2 AND withdrawn_at IS NULL", [
          userId,
          id,
        ])
      ).map(({ cause }) => cause);
    const turn = async () => {
      for (const each of await organizationsDue(engine, RESTING_ACCOUNTS))
        await RESTING_ACCOUNTS.run({ database: engine } as never, each);
    };
    try {
      await turn();
      expect(await told(ana)).toEqual([]);
      await role(ada, "viewer");
      await turn();
      await turn();
      expect([await told(ana), await told(otto), await told(ada)]).toEqual([
        ["service_account.rests"],
        ["service_account.rests"],
        [],
      ]);
      await role(ada, "admin");
      await turn();
      expect(await told(ana)).toEqual([]);
      expect(await types()).toEqual(["created", "owner_missing", "owner_back"]);
      // What an admin decided tells nobody anything new.
      await change(otto, id, { suspended: true });
      await turn();
      expect(await told(ana)).toEqual([]);
    } finally {
      await engine.close();
    }
  });
});

const assign = async ({ id }: { id: string }, { memberId }: Person) =>
  expect(
    (
      await web.call("POST", `/api/v1/input-requests/${id}/assign`, {
        cookie: ana.cookie,
        body: { memberId },
      })
    ).status,
  ).toBe(200);
const holderOf = async ({ id }: { id: string }) =>
  (await web.call("GET", `/api/v1/input-requests/${id}`, { cookie: ana.cookie })).body.assignedTo?.name ??
  null;
const followHistory = async () => {
  const engine = createDatabase(web.database.engineUrl, { connections: 1 });
  await NOTICES.run({ database: engine } as never, acme);
  await engine.close();
};

describe("where a second person is required", () => {
  beforeEach(async () => {
    const on = await web.call("PATCH", "/api/v1/organization", {
      cookie: ana.cookie,
      body: { fourEyes: true },
    });
    expect(on.body.fourEyes).toBe(true);
  });

  const member = ({ userId }: Person): Actor => ({ kind: "member", id: userId, name: "x" });
  const through = ({ keyId }: { keyId: string }): Actor => ({ kind: "key", id: keyId, name: "x" });

  async function askedBy(actor: Actor) {
    const requester = actor.kind === "member" ? { requester: actor.id ?? "" } : {};
    const taskId = await insertTask(web.db, acme, server, requester);
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({
        where: { organizationId: acme, id: taskId },
        data: { requestedBy: storable(actor) },
      }),
    );
    return insertRequest(web.db, acme, taskId);
  }

  /** The status and code of an acceptance, which the list has to agree with beforehand. */
  async function accept(who: Who, request: { id: string; questionHash: string }) {
    const by = cookieOrKey(who);
    const waiting = await web.call("GET", "/api/v1/input-requests?state=open&waiting=me&limit=200", by);
    const waits = waiting.body.items.some(({ id }: { id: string }) => id === request.id);
    const { status, body } = await web.call("POST", `/api/v1/input-requests/${request.id}/answer`, {
      ...by,
      body: { action: "accept", questionHash: request.questionHash, holdMs: 0 },
    });
    expect(waits).toBe(status !== 403);
    return [status, body.code ?? body.state];
  }
  const REFUSED = [403, "four_eyes"];
  const ACCEPTED = [202, "answered"];

  test("its owner and the makers of its keys do not accept what it asks, and others do", async () => {
    const bot = await account(otto, ada);
    const request = await askedBy(through(bot));
    expect([await accept(otto, request), await accept(ada, request)]).toEqual([REFUSED, REFUSED]);
    expect(await accept(ana, request)).toEqual(ACCEPTED);
  });

  test("giving it away frees neither who had it nor who gets it, and neither does deleting it", async () => {
    const bot = await account(otto, otto);
    const request = await askedBy(through(bot));
    await change(otto, bot.id, { ownerId: ada.memberId });
    expect([await accept(otto, request), await accept(ada, request)]).toEqual([REFUSED, REFUSED]);
    await web.call("DELETE", `/api/v1/api-keys/${bot.keyId}`, { cookie: otto.cookie });
    await drop(otto, bot.id);
    expect([await accept(otto, request), await accept(ada, request)]).toEqual([REFUSED, REFUSED]);
    expect(await accept(ana, request)).toEqual(ACCEPTED);
  });

  test("what it asked waits for the others once whoever has it stands behind it", async () => {
    await followHistory();
    const bot = await account(otto, otto);
    const [owned, keyed] = [await askedBy(through(bot)), await askedBy(through(bot))];
    const ben = await web.member(acme, "Ben", "operator");
    await assign(owned, ben);
    await assign(keyed, ada);
    await followHistory();
    expect([await holderOf(owned), await holderOf(keyed)]).toEqual(["Ben", "Ada"]);
    expect((await change(otto, bot.id, { ownerId: ben.memberId })).status).toBe(200);
    await followHistory();
    expect([await holderOf(owned), await holderOf(keyed)]).toEqual([null, "Ada"]);
    expect((await makeKey(ada, bot.id)).status).toBe(201);
    await followHistory();
    expect(await holderOf(keyed)).toBe(null);
    expect([await accept(ana, owned), await accept(ana, keyed)]).toEqual([ACCEPTED, ACCEPTED]);
  });

  test("it does not accept what its owner, or who made a key of it, asked for", async () => {
    const bot = await account(otto, ada);
    for (const asker of [otto, ada])
      expect(await accept({ key: bot.key }, await askedBy(member(asker)))).toEqual(REFUSED);
    expect(await accept({ key: bot.key }, await askedBy(member(ana)))).toEqual(ACCEPTED);
  });

  test("it does not accept what it asked for itself, with another key or through another account of the same people", async () => {
    const bot = await account(otto, ada);
    const other = (await makeKey(ana, bot.id)).body;
    expect(await accept({ key: other.secret }, await askedBy(through(bot)))).toEqual(REFUSED);
    const second = await account(otto, otto);
    expect(await accept({ key: second.key }, await askedBy(through(bot)))).toEqual(REFUSED);
    const third = await account(ana, ana);
    // Ana made a key of the first, and counts with it from then on.
    expect(await accept({ key: third.key }, await askedBy(through(bot)))).toEqual(REFUSED);
  });

  test("whom an owner of it invited counts with it", async () => {
    const email = `guest${++made}@test.example`;
    const link = await web.call("POST", "/api/v1/invitations", {
      cookie: otto.cookie,
      body: { email, role: "approver" },
    });
    const body = { token: tokenOf(link.body.url), name: "Guest", password: "correct horse battery" };
    const headers = { "x-forwarded-for": `10.3.${made >> 8}.${made & 255}` };
    expect((await web.call("POST", "/api/join/account", { body, headers })).status).toBe(201);
    const [{ id }] = (await sql(`SELECT id FROM "user" WHERE email = $1`, [email])) as [{ id: string }];
    const guest = { cookie: await web.signIn(id) };
    const bot = await account(otto, otto);
    const request = await askedBy(through(bot));
    expect(await accept(guest, request)).toEqual(REFUSED);
    expect(await accept(ada, request)).toEqual(ACCEPTED);
  });

  test("the end of the rule is not proposed through it and accepted by those behind it", async () => {
    const bot = await account(otto, ada, "admin");
    const body = {
      ...{ name: "k", role: "admin", serviceAccountId: bot.id },
      permissions: ["settings:manage"],
    };
    const { secret: key } = (await web.call("POST", "/api/v1/api-keys", { cookie: ada.cookie, body })).body;
    const end = await web.call("PATCH", "/api/v1/organization", { key, body: { fourEyes: false } });
    expect(end.body.fourEyesProposal).not.toBeNull();
    const acceptEnd = ({ cookie }: Person) =>
      web.call("POST", "/api/v1/organization/four-eyes/accept", { cookie });
    for (const behind of [otto, ada]) expect((await acceptEnd(behind)).body.code).toBe("same_maker");
    expect((await acceptEnd(ana)).body.fourEyes).toBe(false);
  });

  test("nobody is told of a request who may not accept it for the account's sake", async () => {
    const bot = await account(otto, ada);
    const request = await askedBy(through(bot));
    const { allRefusedByFourEyes } = await import("@/lib/people/members/one-maker.ts");
    const [row] = await web.db.withOrganization(
      acme,
      (tx) => tx.$queryRaw<{ ids: string[] }[]>`
        SELECT ${allRefusedByFourEyes(Prisma.sql`x.organization_id`)} AS ids FROM input_request x
          JOIN task t ON t.organization_id = x.organization_id AND t.id = x.task_id WHERE x.id = ${request.id}::uuid`,
    );
    expect([...row!.ids].sort()).toEqual([otto.userId, ada.userId, bot.id].sort());
  });

  test("nobody takes a maker out of the database's memory", async () => {
    await account(otto, ada);
    const app = createDatabase(web.database.appUrl);
    for (const statement of [
      "DELETE FROM service_account_maker",
      "UPDATE service_account_maker SET user_id = gen_random_uuid()",
    ])
      await expect(app.withOrganization(acme, (tx) => tx.$executeRawUnsafe(statement))).rejects.toThrow(
        /permission denied/,
      );
    await app.close();
  });
});
