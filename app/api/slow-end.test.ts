/** Nobody ends an organization, or wipes what happened in it, at once and unseen. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { NOTICES } from "@/lib/engine/jobs/notice-jobs.ts";
import { DELETIONS } from "@/lib/engine/jobs/organization-jobs.ts";
import { RETENTION } from "@/lib/engine/jobs/retention-jobs.ts";
import { organizationsDue } from "@/test/fixtures/notifications-fixture.ts";
import { insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

interface Person {
  userId: string;
  memberId: string;
  cookie: string;
}

const web = webForFile();
let engine: Database;
let acme: string;
let slug: string;
let olga: Person;
let otto: Person;
let adam: Person;
let made = 0;

beforeAll(async () => {
  engine = createDatabase(web.database.engineUrl, { connections: 2 });
});
afterAll(async () => {
  await engine.close();
});
beforeEach(async () => {
  slug = `acme-end-${++made}`;
  acme = await web.organization(slug);
  olga = await web.member(acme, "Olga", "owner");
  otto = await web.member(acme, "Otto", "owner");
  adam = await web.member(acme, "Adam", "admin");
});

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
const call = (
  who: Person,
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: object,
) => web.call(method, `/api/v1/organization${path}`, { cookie: who.cookie, ...(body && { body }) });
const download = async (who: Person) =>
  (await web.open("GET", "/api/v1/organization/export", { cookie: who.cookie })).text();
const remove = (who: Person) => call(who, "DELETE", "", { slug });
const exists = async () => (await sql("SELECT 1 FROM organization WHERE id = $1", [acme])).length === 1;
const typesOf = async () =>
  (await sql("SELECT type FROM event WHERE organization_id = $1 ORDER BY seq", [acme])).map(
    ({ type }) => type,
  );

type Job = typeof DELETIONS;
/** One turn of an engine's job in all organizations that it lists. */
async function turn(job: Job) {
  const context = { database: engine, log: { warn: () => {} } } as unknown as Parameters<Job["run"]>[0];
  for (const id of await organizationsDue(engine, job)) while (await job.run(context, id));
}
/** The three days are over. */
const wait = () =>
  sql(
    "UPDATE organization SET deletion_requested_at = deletion_requested_at - interval '73 hours' WHERE id = $1",
    [acme],
  );

describe("an export", () => {
  test("is in the history when it begins, and when it ends", async () => {
    await download(olga);
    expect((await typesOf()).slice(-2)).toEqual(["organization.export_begun", "organization.exported"]);
  });

  test("that breaks off after the first bytes, which are enough for a thief, is in the history", async () => {
    const reader = (
      await web.open("GET", "/api/v1/organization/export", { cookie: olga.cookie })
    ).body!.getReader();
    await reader.read();
    expect((await typesOf()).at(-1)).toBe("organization.export_begun");
    await reader.cancel();
    expect((await typesOf()).at(-1)).toBe("organization.export_broken_off");
    expect((await remove(olga)).body.code).toBe("export_first");
  });
});

describe("a deletion", () => {
  test("waits for three days, in which the organization works and every owner may take it back", async () => {
    await download(olga);
    const asked = await remove(olga);
    expect([asked.status, asked.body]).toEqual([
      202,
      expect.objectContaining({
        deletion: {
          by: expect.objectContaining({ name: "Olga" }),
          at: expect.any(String),
          takesEffectAt: expect.any(String),
        },
      }),
    ]);
    const { at, takesEffectAt } = asked.body.deletion;
    expect(Date.parse(takesEffectAt) - Date.parse(at)).toBe(72 * 3600_000);
    await turn(DELETIONS);
    expect(await exists()).toBe(true);
    expect((await call(adam, "GET", "")).body.deletion.by.name).toBe("Olga");
    expect((await call(adam, "POST", "/deletion/withdraw")).status).toBe(403);
    expect((await call(otto, "POST", "/deletion/withdraw")).body.deletion).toBeNull();
    await wait();
    await turn(DELETIONS);
    expect(await exists()).toBe(true);
    expect((await typesOf()).slice(-2)).toEqual([
      "organization.deletion_requested",
      "organization.deletion_withdrawn",
    ]);
  });

  test("is told to all owners at once", async () => {
    await turn(NOTICES);
    await download(olga);
    await remove(olga);
    await turn(NOTICES);
    const told = await sql(
      "SELECT user_id, mail_after IS NOT NULL AS mails FROM notice WHERE organization_id = $1 AND cause = 'organization.deleting' AND withdrawn_at IS NULL",
      [acme],
    );
    expect(told.map(({ user_id }) => user_id).sort()).toEqual([olga.userId, otto.userId].sort());
    await call(otto, "POST", "/deletion/withdraw");
    await turn(NOTICES);
    expect(
      await sql(
        "SELECT 1 FROM notice WHERE organization_id = $1 AND cause = 'organization.deleting' AND withdrawn_at IS NULL",
        [acme],
      ),
    ).toEqual([]);
  });

  test("happens when the time is over, once no task is open", async () => {
    await download(olga);
    await remove(olga);
    await wait();
    const task = await insertTask(web.db, acme, await insertServer(web.db, acme));
    await turn(DELETIONS);
    expect(await exists()).toBe(true);
    await sql("UPDATE task SET watched = false, state = 'completed', finished_at = now() WHERE id = $1", [
      task,
    ]);
    await turn(DELETIONS);
    expect(await exists()).toBe(false);
    expect((await web.call("GET", "/api/v1/me", { cookie: olga.cookie })).status).toBe(401);
  });

  test("is not brought forward by the web's role, nor done by a web process of before", async () => {
    await download(olga);
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    await app.withOrganization(acme, (tx) =>
      tx.organization.updateMany({
        where: { id: acme },
        data: {
          deletionRequestedAt: new Date(0),
          deletionRequestedBy: { kind: "system", id: null, name: "x" },
        },
      }),
    );
    await turn(DELETIONS);
    await expect(
      app.withOrganization(
        acme,
        (tx) => tx.$queryRaw`SELECT gate.delete_organization(${acme}::uuid, ${slug}, 3600000::bigint)`,
      ),
    ).rejects.toThrow("permission denied");
    await app.close();
    expect(await exists()).toBe(true);
  });
});

describe("retention", () => {
  test("is not shortened by an admin below the operator's floor, to wipe traces", async () => {
    for (const kind of ["payloadDays", "taskDays"]) {
      const refused = await call(adam, "PATCH", "/retention", { [kind]: 29, slug });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [{ field: kind, message: "At least 30 days, as the operator of this Intray requires" }],
      ]);
      expect((await call(adam, "PATCH", "/retention", { [kind]: 30, slug })).status).toBe(200);
    }
    expect((await call(adam, "PATCH", "/retention", { messageDays: 1, slug })).status).toBe(200);
  });

  test("of before the floor sweeps nothing younger", async () => {
    await sql("UPDATE organization SET keep_tasks_days = 1, keep_payloads_days = 1 WHERE id = $1", [acme]);
    const task = await endedTask(20);
    await sql("UPDATE event SET at = now() - interval '20 days' WHERE organization_id = $1", [acme]);
    await turn(RETENTION);
    expect(await left(task)).toEqual({ tasks: 1, details: expect.any(Number) });
    expect((await left(task)).details).toBeGreaterThan(0);
    await sql("UPDATE event SET at = now() - interval '31 days' WHERE organization_id = $1", [acme]);
    await sql("UPDATE task SET finished_at = now() - interval '31 days' WHERE id = $1", [task]);
    await turn(RETENTION);
    expect(await left(task)).toEqual({ tasks: 0, details: 0 });
  });
});

describe("a legal hold", () => {
  const hold = (who: Person) => call(who, "PUT", "/hold", { reason: "Case 12" });

  test("is set and lifted by owners alone, in person, and recorded", async () => {
    expect((await hold(adam)).status).toBe(403);
    const key = await web.key(acme, "owner");
    const byKey = await web.call("PUT", "/api/v1/organization/hold", { key, body: { reason: "x" } });
    expect(byKey.status).toBe(403);
    expect((await hold(olga)).body.hold).toMatchObject({ by: { name: "Olga" }, reason: "Case 12" });
    expect((await call(adam, "GET", "")).body.hold).toMatchObject({ reason: "Case 12" });
    expect((await call(adam, "DELETE", "/hold")).status).toBe(403);
    expect((await call(otto, "DELETE", "/hold")).body.hold).toBeNull();
    expect((await typesOf()).slice(-2)).toEqual(["organization.hold_set", "organization.hold_lifted"]);
  });

  test("keeps everything from being swept, whatever retention says", async () => {
    await call(adam, "PATCH", "/retention", { payloadDays: 30, taskDays: 30, messageDays: 1, slug });
    await hold(olga);
    const task = await endedTask(40);
    await sql("UPDATE event SET at = now() - interval '40 days' WHERE organization_id = $1", [acme]);
    await turn(RETENTION);
    expect((await left(task)).tasks).toBe(1);
    expect((await left(task)).details).toBeGreaterThan(0);
    // Nor by an engine of before, which knows nothing of it.
    expect(
      await engine.withOrganization(
        acme,
        (tx) => tx.$queryRaw`SELECT dropped FROM drop_event_payloads(0, 500)`,
      ),
    ).toEqual([{ dropped: 0 }]);
    await call(otto, "DELETE", "/hold");
    await turn(RETENTION);
    expect((await left(task)).tasks).toBe(0);
  });

  test("keeps a deletion from taking effect", async () => {
    await download(olga);
    await remove(olga);
    await hold(otto);
    await wait();
    await turn(DELETIONS);
    expect(await exists()).toBe(true);
    await call(otto, "DELETE", "/hold");
    await turn(DELETIONS);
    expect(await exists()).toBe(false);
  });
});

async function endedTask(days: number): Promise<string> {
  const task = await insertTask(web.db, acme, await insertServer(web.db, acme));
  await sql(
    "UPDATE task SET watched = false, state = 'completed', finished_at = now() - $2 * interval '1 day' WHERE id = $1",
    [task, days],
  );
  return task;
}

async function left(task: string) {
  const [row] = await sql(
    `SELECT (SELECT count(*)::integer FROM task WHERE id = $2) AS tasks,
      (SELECT count(*)::integer FROM event WHERE organization_id = $1 AND data IS NOT NULL
        AND at < now() - interval '10 days') AS details`,
    [acme, task],
  );
  return row;
}
