import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import type { Actor } from "../../access/access-schema.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { createOrganization } from "../../people/organizations/organization-writes.ts";
import { exportedLines, listEvents } from "./event-reads.ts";
import type { Verification } from "./event-schema.ts";
import { appendEvents, type NewEvent } from "./event-writes.ts";
import { verifyEvents } from "./verify.ts";
import { verifyExport } from "./verify-export.ts";

const LINES = 9;
const ANA: Actor = { kind: "member", id: uuidv7(), name: "Ana" };
const database = databaseForFile();
let db: Database;

beforeAll(async () => {
  db = createDatabase(database.ownerUrl, { connections: 1 });
});
afterAll(async () => {
  await db.close();
});

/** Creates an organization with nine lines, whose payloads contain every kind of JSON value. */
async function history(): Promise<string> {
  const id = uuidv7();
  await db.withOrganization(id, (tx) => createOrganization(tx, { slug: id, name: "Acme" }));
  await db.withOrganization(id, async (tx) => {
    const written = (await tx.event.count({ where: { organizationId: id } })) + 1;
    const line = (n: number): NewEvent => ({
      type: "answer.recorded",
      actor: ANA,
      taskId: uuidv7(),
      inputRequestId: uuidv7(),
      data: {
        zz: n,
        a: [1.5, 1e21, -0.0, 12345678901234567890n.toString(), null, true],
        ключ: '„Müller“ 🧾 \u2028\u0001\\"</script>',
        nested: { "": {}, b: [], aa: "\ud83d" },
      },
    });
    // One, then all the others at once.
    await appendEvents(tx, [line(written)]);
    await appendEvents(
      tx,
      Array.from({ length: LINES - written }, (_, n) => line(written + 1 + n)),
    );
  });
  return id;
}

const inDatabase = (id: string, batch?: number) =>
  verifyEvents((work) => db.withOrganization(id, work), batch);

async function exported(id: string): Promise<string[]> {
  let all = "";
  for await (const piece of exportedLines((work) => db.withOrganization(id, work), { batch: 4 }))
    all += piece;
  return all.trimEnd().split("\n");
}

const offline = async (id: string, head?: string) => verifyExport(each(await exported(id)), { head });

async function* each(lines: string[]) {
  yield* lines;
}

/** Runs statements as the database's superuser. `$1` is the organization. */
async function tamper(id: string, ...statements: string[]): Promise<void> {
  await withClient(database.adminUrl, async (client) => {
    for (const statement of statements) await client.query(statement, statement.includes("$1") ? [id] : []);
  });
}

const at = (seq: number) => `WHERE organization_id = $1 AND seq = ${seq}`;
/** Recomputes a line's own digests. */
const redigest = (seq: number) => `UPDATE event SET payload_digest = sha256(convert_to(data::text, 'UTF8')),
  digest = sha256(convert_to(event_line(seq, at, type, actor, task_id, input_request_id,
    sha256(convert_to(data::text, 'UTF8')), NULL), 'UTF8')) ${at(seq)}`;
const rehash = (seq: number) => `UPDATE event SET hash = sha256((SELECT hash FROM event before
  WHERE before.organization_id = $1 AND before.seq = ${seq - 1}) || digest) ${at(seq)}`;
const insert = (seq: number, after: number) => `INSERT INTO event
  (organization_id, seq, at, type, actor, data, payload_digest, digest, hash)
  SELECT organization_id, ${seq}, at, type, actor, data, payload_digest, digest, hash FROM event ${at(after)}`;

/** Name, statements, position and fault of each manipulation, and whether an export reveals it too. */
const TAMPERING: [string, string[], number, Verification["fault"], "and in an export" | "here only"][] = [
  [
    "a payload altered",
    [`UPDATE event SET data = data || '{"zz": 1000}' ${at(4)}`],
    4,
    "altered",
    "and in an export",
  ],
  [
    "a payload altered with its digest",
    [`UPDATE event SET data = '{}', payload_digest = sha256('{}') ${at(4)}`],
    4,
    "altered",
    "and in an export",
  ],
  [
    "a line rewritten with its digests",
    [`UPDATE event SET data = '{}' ${at(4)}`, redigest(4)],
    4,
    "unlinked",
    "and in an export",
  ],
  [
    "a line rewritten with its digests and its hash",
    [`UPDATE event SET data = '{}' ${at(4)}`, redigest(4), rehash(4)],
    5,
    "unlinked",
    "and in an export",
  ],
  [
    "the actor changed",
    [`UPDATE event SET actor = '{"kind": "member", "id": null, "name": "Eve"}' ${at(3)}`],
    3,
    "altered",
    "and in an export",
  ],
  [
    "the actor of a dropped payload changed",
    [`UPDATE event SET data = NULL, actor = '{"kind": "engine", "id": null, "name": "x"}' ${at(3)}`],
    3,
    "altered",
    "and in an export",
  ],
  [
    "the time changed",
    [`UPDATE event SET at = at + interval '1 day' ${at(3)}`],
    3,
    "altered",
    "and in an export",
  ],
  [
    "the type changed",
    [`UPDATE event SET type = 'answer.undone' ${at(3)}`],
    3,
    "altered",
    "and in an export",
  ],
  ["the task changed", [`UPDATE event SET task_id = NULL ${at(3)}`], 3, "altered", "and in an export"],
  [
    "the request changed",
    [`UPDATE event SET input_request_id = NULL ${at(3)}`],
    3,
    "altered",
    "and in an export",
  ],
  [
    "the payload's digest taken away",
    [`UPDATE event SET data = NULL, payload_digest = NULL ${at(5)}`],
    5,
    "altered",
    "and in an export",
  ],
  ["the first line deleted", [`DELETE FROM event ${at(1)}`], 1, "gap", "and in an export"],
  ["a line deleted in the middle", [`DELETE FROM event ${at(5)}`], 5, "gap", "and in an export"],
  [
    "a line deleted and those behind it moved up",
    [`DELETE FROM event ${at(5)}`, `UPDATE event SET seq = seq - 1 WHERE organization_id = $1 AND seq > 5`],
    5,
    "altered",
    "and in an export",
  ],
  [
    "a line inserted and those behind it moved on",
    [
      `UPDATE event SET seq = -seq - 1 WHERE organization_id = $1 AND seq > 5`,
      `UPDATE event SET seq = -seq WHERE organization_id = $1 AND seq < 0`,
      insert(6, 2),
    ],
    6,
    "altered",
    "and in an export",
  ],
  ["a line put before the first", [insert(-3, 2)], 1, "gap", "here only"],
  ["a line put behind the last", [insert(10, 2), redigest(10), rehash(10)], 10, "cut", "here only"],
  [
    "two lines swapped",
    [
      `UPDATE event SET seq = -6 ${at(6)}`,
      `UPDATE event SET seq = 6 ${at(7)}`,
      `UPDATE event SET seq = 7 ${at(-6)}`,
    ],
    6,
    "altered",
    "and in an export",
  ],
  ["the end cut", [`DELETE FROM event WHERE organization_id = $1 AND seq > 7`], 8, "cut", "here only"],
  ["everything cut", [`DELETE FROM event WHERE organization_id = $1`], 1, "cut", "here only"],
  [
    "the head moved back",
    [`UPDATE event_head SET seq = 8 WHERE organization_id = $1`],
    9,
    "cut",
    "here only",
  ],
  [
    "the head's hash rewritten",
    [`UPDATE event_head SET hash = sha256('x') WHERE organization_id = $1`],
    9,
    "cut",
    "here only",
  ],
  ["the head deleted", [`DELETE FROM event_head WHERE organization_id = $1`], 1, "cut", "here only"],
  [
    "the last line rewritten with all that it has",
    [`UPDATE event SET data = '{}' ${at(9)}`, redigest(9), rehash(9)],
    9,
    "cut",
    "here only",
  ],
];

describe("a history", () => {
  test("that nobody touched holds, in the database and in an export, whatever the size of a batch", async () => {
    const id = await history();
    const whole = await inDatabase(id);
    expect(whole).toEqual({
      ok: true,
      lines: LINES,
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
      brokenAt: null,
      fault: null,
    });
    for (const batch of [1, 2, LINES - 1, LINES, LINES + 1])
      expect(await inDatabase(id, batch)).toEqual(whole);
    expect(await offline(id)).toEqual(whole);
    const shown = await db.withOrganization(id, (tx) => listEvents(tx, { limit: 200 }));
    const lines = (await exported(id)).map((text) => JSON.parse(text));
    expect(lines.map(({ line, payload, digest, hash, ...event }) => event).reverse()).toEqual(shown.items);
  });

  test("of an organization that has none holds", async () => {
    expect(await inDatabase(uuidv7())).toEqual({
      ok: true,
      lines: 0,
      head: null,
      brokenAt: null,
      fault: null,
    });
  });

  test.each(TAMPERING)("is broken by %s", async (_what, statements, brokenAt, fault, where) => {
    const id = await history();
    await tamper(id, ...statements);
    for (const batch of [2, 1_000]) {
      const found = await inDatabase(id, batch);
      expect(found).toMatchObject({ ok: false, brokenAt, fault });
    }
    if (where === "and in an export") expect(await offline(id)).toMatchObject({ ok: false, brokenAt, fault });
  });

  test("holds when retention drops payloads, and still shows who did what", async () => {
    const id = await history();
    await tamper(id, `UPDATE event SET data = NULL WHERE organization_id = $1 AND seq BETWEEN 3 AND 6`);
    expect(await inDatabase(id)).toMatchObject({ ok: true, lines: LINES });
    expect(await offline(id)).toMatchObject({ ok: true, lines: LINES });
    const { items } = await db.withOrganization(id, (tx) => listEvents(tx, { limit: 200 }));
    expect(items.find(({ seq }) => seq === 4)).toMatchObject({ actor: ANA, data: {} });
  });

  test("holds with lines from before payloads had digests of their own, and notices when those are altered", async () => {
    const id = uuidv7();
    await db.withOrganization(id, (tx) => createOrganization(tx, { slug: id, name: "Old" }));
    await tamper(
      id,
      `UPDATE event SET payload_digest = NULL, digest = sha256(convert_to(jsonb_build_array(seq,
        (extract(epoch FROM at) * 1000)::bigint, type, actor, task_id, input_request_id, data)::text, 'UTF8'))
        WHERE organization_id = $1`,
      "UPDATE event SET hash = sha256(digest) WHERE organization_id = $1",
      "UPDATE event_head SET hash = (SELECT hash FROM event WHERE organization_id = $1) WHERE organization_id = $1",
    );
    await db.withOrganization(id, (tx) => appendEvents(tx, [{ type: "server.created", actor: ANA }]));
    expect(await inDatabase(id)).toMatchObject({ ok: true, lines: 2 });
    expect(await offline(id)).toMatchObject({ ok: true, lines: 2 });
    await tamper(id, `UPDATE event SET data = NULL ${at(1)}`);
    expect(await inDatabase(id)).toMatchObject({ ok: false, brokenAt: 1, fault: "altered" });
    expect(await offline(id)).toMatchObject({ ok: false, brokenAt: 1, fault: "altered" });
  });
});

describe("an export", () => {
  test("whose shown values say something else than its digested text is altered", async () => {
    const id = await history();
    const lines = await exported(id);
    const show = async (change: (event: Record<string, unknown>) => void) => {
      const event = JSON.parse(lines[4] ?? "");
      change(event);
      return verifyExport(each(lines.with(4, JSON.stringify(event))));
    };
    const altered = { ok: false, lines: 4, brokenAt: 5, fault: "altered" };
    expect(await show((event) => Object.assign(event, { actor: { ...ANA, name: "Eve" } }))).toMatchObject(
      altered,
    );
    expect(await show((event) => Object.assign(event, { actor: { ...ANA, also: 1 } }))).toMatchObject(
      altered,
    );
    expect(await show((event) => Object.assign(event, { data: {} }))).toMatchObject(altered);
    expect(await show((event) => Object.assign(event, { data: {}, payload: "{}" }))).toMatchObject(altered);
    expect(await show((event) => Object.assign(event, { at: "2020-01-01T00:00:00.000Z" }))).toMatchObject(
      altered,
    );
    expect(await show((event) => Object.assign(event, { note: "added" }))).toMatchObject(altered);
    expect(await verifyExport(each(lines.with(4, "not JSON")))).toMatchObject(altered);
    expect(await verifyExport(each([...lines, ""]))).toMatchObject({ ok: true });
  });

  test("that was cut at its end is found by the hash that was kept of it, and so is a chain made anew", async () => {
    const id = await history();
    const lines = await exported(id);
    const { head } = await inDatabase(id);
    const kept = head ?? "";
    expect(await verifyExport(each(lines), { head: kept })).toMatchObject({ ok: true });
    expect(await verifyExport(each(lines.slice(0, 7)))).toMatchObject({ ok: true });
    expect(await verifyExport(each(lines.slice(0, 7)), { head: kept })).toMatchObject({
      ok: false,
      brokenAt: 8,
      fault: "cut",
    });
    const other = await exported(await history());
    expect(await verifyExport(each(other), { head: kept })).toMatchObject({ ok: false, fault: "cut" });
  });
});
