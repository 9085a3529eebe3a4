/** One organization's calls that wait in the database must not keep another's from it. */
import { expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

test("an organization whose calls all wait in the database holds up no other organization's", async () => {
  const [acme, globex] = [await web.organization("acme"), await web.organization("globex")];
  const [ours, theirs] = [await web.key(acme, "owner"), await web.key(globex, "owner")];
  const change = (key: string) => web.call("PUT", "/api/v1/undo-window", { key, body: { holdMs: 1_000 } });
  await change(ours);
  const { slow, answers } = await withClient(web.database.adminUrl, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT FROM organization WHERE id = $1 FOR UPDATE", [acme]);
    const slow = Array.from({ length: 40 }, () => change(ours));
    await until("as many wait in the database as will", async () => (await countWaiting()) >= 4);
    const answers = await Promise.all([
      web.call("GET", "/api/v1/me", { key: theirs }),
      web.call("GET", "/api/v1/tasks", { key: theirs }),
      web.call("GET", "/api/v1/input-requests", { key: theirs }),
      change(theirs),
    ]);
    await client.query("ROLLBACK");
    return { slow: await Promise.all(slow), answers };
  });
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  // Who waited too long was told so.
  for (const { status, body, headers } of slow) {
    if (status === 200) continue;
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "database_busy", "2"]);
  }
  expect(slow.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
});

/** Counts connections that wait for a lock; on a connection of its own, since a transaction sees one moment alone. */
const countWaiting = () =>
  withClient(web.database.adminUrl, async (client) => {
    const { rows } = await client.query(
      "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows[0].count as number;
  });
