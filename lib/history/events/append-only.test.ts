import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { appendEvents, appendRead, type NewEvent } from "./event-writes.ts";
import { verifyEvents } from "./verify.ts";

const acme = uuidv7();
const globex = uuidv7();
const database = databaseForFile();
let owner: Database;

beforeAll(async () => {
  owner = createDatabase(database.ownerUrl, { connections: 4 });
  for (const [id, slug] of [
    [acme, "acme"],
    [globex, "globex"],
  ] as const)
    await owner.withOrganization(id, (tx) => createOrganization(tx, { slug, name: slug }));
});
afterAll(async () => {
  await owner.close();
});

const roles = (): [string, string][] => [
  ["intray_app", database.appDirectUrl],
  ["intray_engine", database.engineDirectUrl],
];

/** Attacks by an arbitrary SQL statement of the web or the engine, within an organization. */
const ATTACKS: Record<string, string> = {
  "rewrite a line": "UPDATE event SET type = 'x' WHERE seq = 1",
  "drop a payload": "UPDATE event SET data = NULL",
  "delete a line": "DELETE FROM event WHERE seq = 1",
  "empty the history": "TRUNCATE event",
  "write a line without the chain": `INSERT INTO event (organization_id, seq, at, type, actor, digest, hash)
    VALUES ('${acme}', 99, now(), 'x', '{}', '\\x00', '\\x00')`,
  "write a line over another": `INSERT INTO event (organization_id, seq, at, type, actor, digest, hash)
    VALUES ('${acme}', 1, now(), 'x', '{}', '\\x00', '\\x00') ON CONFLICT (organization_id, seq) DO UPDATE SET type = 'x'`,
  "merge into a line": `MERGE INTO event USING (VALUES (1)) one (n) ON seq = n WHEN MATCHED THEN UPDATE SET type = 'x'`,
  "load lines": "COPY event FROM stdin",
  "move the head": "UPDATE event_head SET seq = 0",
  "delete the head": "DELETE FROM event_head",
  "make another head": `INSERT INTO event_head (organization_id, seq, hash) VALUES ('${acme}', 0, '\\x')`,
  "lock the head": "SELECT * FROM event_head FOR UPDATE",
  "switch row security off": "ALTER TABLE event DISABLE ROW LEVEL SECURITY",
  "add a trigger":
    "CREATE TRIGGER t BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION refuse_wrong_move()",
  "add a rule": "CREATE RULE r AS ON INSERT TO event DO INSTEAD NOTHING",
  "take the table away": "DROP TABLE event",
  "become the role that may": "SET ROLE intray_gate",
  "become the owner": "SET ROLE intray_owner",
  "replace the function": `CREATE OR REPLACE FUNCTION append_event(p_type text, p_actor jsonb, p_task uuid,
    p_request uuid, p_data jsonb) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`,
  "replace the function of many lines":
    "CREATE OR REPLACE FUNCTION append_events(p_lines jsonb) RETURNS void LANGUAGE sql AS ''",
  "change the function's search path": "ALTER FUNCTION append_event RESET ALL",
  "change the search path of the function of many lines": "ALTER FUNCTION append_events RESET ALL",
  "put a function beside those that it calls":
    "CREATE FUNCTION public.sha256(text) RETURNS bytea LANGUAGE sql AS 'SELECT NULL::bytea'",
};

const LINE = `{"type": "server.created", "actor": ${JSON.stringify(COMMAND_LINE)}, "data": {}}`;
/** The functions that append lines: name, statement, number of lines. */
const FUNCTIONS: [string, string, number][] = [
  [
    "append_event()",
    `SELECT append_event('server.created', '${JSON.stringify(COMMAND_LINE)}', NULL, NULL, '{}')`,
    1,
  ],
  ["append_events()", `SELECT append_events('[${LINE}, ${LINE}, ${LINE}]')`, 3],
];

describe("history", () => {
  test.each(Object.entries(ATTACKS))("lets neither the web nor the engine %s", async (_name, statement) => {
    for (const [role, url] of roles()) {
      const tried = withClient(url, async (client) => {
        await client.query("SELECT set_config('app.organization_id', $1, false)", [acme]);
        await client.query(statement);
      });
      await expect(tried, role).rejects.toMatchObject({ code: "42501" });
    }
    expect(await verify(acme)).toMatchObject({ ok: true });
  });

  test.each(FUNCTIONS)(
    "takes lines from both of them by %s, in the current organization alone",
    async (_name, write, lines) => {
      for (const [role, url] of roles()) {
        const before = [await count(acme), await count(globex)];
        await withClient(url, async (client) => {
          await client.query("SELECT set_config('app.organization_id', $1, false)", [acme]);
          await client.query(write);
        });
        expect([role, await count(acme), await count(globex)]).toEqual([role, before[0]! + lines, before[1]]);
        const nowhere = withClient(url, (client) => client.query(write));
        await expect(nowhere, role).rejects.toThrow(/event_head/);
      }
      expect(await verify(acme)).toMatchObject({ ok: true });
    },
  );

  test.each(FUNCTIONS)(
    "goes to the real tables by %s, whatever stands in the caller's search path or among its temporary tables",
    async (_name, write, lines) => {
      const before = await count(acme);
      await withClient(database.appDirectUrl, async (client) => {
        await client.query("SELECT set_config('app.organization_id', $1, false)", [acme]);
        await client.query("CREATE TEMP TABLE event (LIKE public.event)");
        await client.query("CREATE TEMP TABLE event_head (LIKE public.event_head)");
        await client.query("SET search_path = pg_temp, public");
        await client.query(write);
        expect((await client.query("SELECT FROM pg_temp.event")).rowCount).toBe(0);
      });
      expect(await count(acme)).toBe(before + lines);
      expect(await verify(acme)).toMatchObject({ ok: true });
    },
  );

  test("is one chain of lines that were written one by one and many at once, in their order", async () => {
    const begins = await count(globex);
    const said = (n: number): NewEvent => ({ type: "server.updated", actor: COMMAND_LINE, data: { n } });
    const within = <T>(work: (tx: Tx) => Promise<T>) => owner.withOrganization(globex, work);
    await within((tx) => appendEvents(tx, [0, 1, 2].map(said)));
    await within(
      (
        tx,
      ) => tx.$executeRaw`SELECT append_event('server.updated', ${JSON.stringify(COMMAND_LINE)}::jsonb, NULL, NULL,
        '{"n": 3}')`,
    );
    await within((tx) => appendEvents(tx, [4, 5].map(said)));
    const lines = await owner.withOrganization(globex, (tx) =>
      tx.event.findMany({ where: { organizationId: globex, seq: { gt: begins } }, orderBy: { seq: "asc" } }),
    );
    expect(lines.map(({ data }) => data)).toEqual([0, 1, 2, 3, 4, 5].map((n) => ({ n })));
    expect(await verify(globex)).toMatchObject({ ok: true, lines: begins + 6 });
  });

  test("stays one chain when lines come from many at once", async () => {
    const app = createDatabase(database.appUrl, { connections: 8 });
    const before = await count(globex);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        app.withOrganization(globex, (tx) =>
          appendEvents(
            tx,
            ["a", "b"].map((which) => ({
              type: "server.updated",
              actor: COMMAND_LINE,
              data: { name: `${n} ${which}` },
            })),
          ),
        ),
      ),
    );
    await app.close();
    expect(await count(globex)).toBe(before + 80);
    expect(await verify(globex)).toMatchObject({ ok: true, lines: before + 80 });
  });

  test("has one line on what a person reads again and again, also at once", async () => {
    const task = uuidv7();
    const app = createDatabase(database.appUrl, { connections: 4 });
    const read = (id: string, taskId = task) =>
      app.withOrganization(acme, (tx) =>
        appendRead(tx, {
          type: "protocol.read",
          actor: { kind: "member", id, name: "Ona" },
          taskId,
        }),
      );
    const ona = uuidv7();
    const said = await Promise.all([read(ona), read(ona), read(ona)]);
    expect(said.filter(Boolean)).toHaveLength(1);
    expect(await read(ona)).toBe(false);
    expect(await read(uuidv7())).toBe(true);
    expect(await read(ona, uuidv7())).toBe(true);
    await app.close();
    const lines = await owner.withOrganization(acme, (tx) =>
      tx.event.count({ where: { organizationId: acme, type: "protocol.read", actorId: ona, taskId: task } }),
    );
    expect(lines).toBe(1);
    await withClient(database.adminUrl, (client) =>
      client.query("UPDATE event SET at = at - interval '11 minutes' WHERE task_id = $1 AND actor_id = $2", [
        task,
        ona,
      ]),
    );
    const later = createDatabase(database.appUrl, { connections: 1 });
    expect(
      await later.withOrganization(acme, (tx) =>
        appendRead(tx, {
          type: "protocol.read",
          actor: { kind: "member", id: ona, name: "Ona" },
          taskId: task,
        }),
      ),
    ).toBe(true);
    await later.close();
  });
});

const verify = (organizationId: string) =>
  verifyEvents((work) => owner.withOrganization(organizationId, work));
const count = (organizationId: string) =>
  owner.withOrganization(organizationId, (tx) => tx.event.count({ where: { organizationId } }));
