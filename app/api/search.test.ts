/** Searches of long lists use an index and find the same rows as a scan. */
import { beforeAll, expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const ROWS = 4_500;
const web = webForFile();
let key: string;
let secondTenant: string;
let acme: string;

/** Ended tasks with a request each; every third contains "common", and the oldest few contain other words. */
async function fill(id: string, oldest: string[]): Promise<string> {
  const server = await insertServer(web.db, id, { name: "Ledger" });
  await withClient(web.database.ownerUrl, async (client) => {
    await client.query("SELECT set_config('app.organization_id', $1, false)", [id]);
    await client.query(
      `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, label, state, watched, visibility,
          requested_by, era, created_at, finished_at)
        SELECT $1, uuidv7(), $2, $3, 'pay', json_build_object('said', said), said, 'completed', false, 'organization',
          '{"kind": "engine", "id": null, "name": "x"}', '2026-07-28', at, at
        FROM (SELECT coalesce(($4::text[])[n], CASE WHEN n % 3 = 0 THEN 'Common' ELSE 'Other' END || ' ' || n) AS said,
          now() - interval '1 day' + n * interval '1 s' AS at FROM generate_series(1, $5::integer) n) row`,
      [id, server.id, server.connectionId, oldest, ROWS],
    );
    await client.query(
      `INSERT INTO input_request (organization_id, id, task_id, connection_id, key, state, mode, message, form,
          question_hash, created_at, ended_at)
        SELECT organization_id, uuidv7(), id, connection_id, 'k', 'settled', 'form', label, '{}', repeat('0', 64),
          created_at, finished_at FROM task WHERE organization_id = $1`,
      [id],
    );
  });
  return web.key(id, "viewer");
}

beforeAll(async () => {
  acme = await web.organization("acme");
  key = await fill(acme, ["Straße 50%_off", "Zephyr A", "Zephyr B", "a\\b"]);
  secondTenant = await fill(await web.organization("globex"), ["Secret of Globex"]);
});

const LISTS = [
  ["tasks", "/api/v1/tasks?order=newest", (item: { label: string }) => item.label],
  [
    "requests",
    "/api/v1/input-requests?state=settled&order=newest",
    (item: { message: string }) => item.message,
  ],
] as const;

test.each(LISTS)(
  "%s far down a list are found, whatever their letters mean to a pattern",
  async (_, list, labelOf) => {
    const find = async (q: string, who = key) =>
      (await web.call("GET", `${list}&q=${encodeURIComponent(q)}`, { key: who })).body.items.map(labelOf);
    expect(await find("zephyr")).toEqual(["Zephyr B", "Zephyr A"]);
    expect(await find("STRASSE")).toEqual([]);
    expect(await find("50%_OFF")).toEqual(["Straße 50%_off"]);
    expect(await find("straße 50")).toEqual(["Straße 50%_off"]);
    expect(await find("a\\\\b")).toEqual(["a\\b"]); // as JSON has it
    expect(await find("5_%")).toEqual([]);
    expect(await find("ß")).toEqual(["Straße 50%_off"]);
    expect(await find("secret of")).toEqual([]);
    expect(await find("secret of", secondTenant)).toEqual(["Secret of Globex"]);
  },
);

test.each(LISTS)(
  "pages of common words among %s leave nothing out and repeat nothing",
  async (_, list, labelOf) => {
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await web.call("GET", `${list}&q=common&limit=200${cursor}`, { key });
      seen.push(...body.items.map(labelOf));
      if (!body.nextCursor) break;
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
    const wanted = Array.from({ length: ROWS }, (_one, n) => n + 1).filter((n) => n % 3 === 0 && n > 4);
    expect(seen).toEqual(wanted.reverse().map((n) => `Common ${n}`));
  },
);

test("what is open is found behind all that is over, by what it says now, and still when it is over", async () => {
  const createdAt = new Date(Date.now() - 3 * 86_400_000);
  const server = await insertServer(web.db, acme, { name: "Far" });
  const task = await insertTask(web.db, acme, server, { createdAt, arguments: { said: "Quokka" } });
  const request = await insertRequest(web.db, acme, task, { createdAt });
  const find = async (list: string, q: string, who = key) =>
    (await web.call("GET", `/api/v1/${list}&order=newest&q=${q}`, { key: who })).body.items.map(
      ({ id }: { id: string }) => id,
    );
  const tasks = "tasks?limit=50";
  const requests = "input-requests?state=open,answered,settled,expired";
  const change = (data: object) =>
    web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({ where: { organizationId: acme, id: task }, data }),
    );
  expect(await find(tasks, "quokka")).toEqual([task]);
  expect(await find(requests, "quokka")).toEqual([request.id]);
  expect(await find(tasks, "quokka", secondTenant)).toEqual([]);
  expect(await find(requests, "quokka", secondTenant)).toEqual([]);

  await change({ statusMessage: "Looks for a NUMBAT" });
  expect(await find(tasks, "numbat")).toEqual([task]);
  await change({ statusMessage: "Looks for a Bilby" });
  expect(await find(tasks, "numbat")).toEqual([]);

  await change({
    state: "completed",
    watched: false,
    finishedAt: new Date(),
    statusMessage: "Found a Potoroo",
  });
  for (const q of ["quokka", "potoroo"]) expect(await find(tasks, q)).toEqual([task]);
  expect(await find(tasks, "bilby")).toEqual([]);
  await web.db.withOrganization(acme, (tx) =>
    tx.inputRequest.updateMany({
      where: { organizationId: acme, id: request.id },
      data: { state: "expired", endedAt: new Date() },
    }),
  );
  expect(await find(requests, "quokka")).toEqual([request.id]);
  expect(await find("input-requests?state=open", "quokka")).toEqual([]);
});
