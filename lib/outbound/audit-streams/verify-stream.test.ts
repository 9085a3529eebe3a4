/** The command line compares a history in the database with what an audit stream has of it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { runHere } from "../../../test/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { exportEvents } from "../../history/events/event-reads.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { eventLines, ndjson, noteLine, syslogFrames } from "./lines.ts";

const organizationId = uuidv7();
let database: TestDatabase;
let db: Database;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-stream-"));
  database = await createTestDatabase();
  db = createDatabase(database.ownerUrl, { connections: 1 });
  await db.withOrganization(organizationId, (tx) => createOrganization(tx, { slug: "acme", name: "Acme" }));
  await append("paid");
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
  await rm(folder, { recursive: true });
});

const append = (text: string) =>
  db.withOrganization(organizationId, (tx) =>
    appendEvents(
      tx,
      Array.from({ length: 4 }, (_, n) => ({
        type: "server.updated" as const,
        actor: COMMAND_LINE,
        data: { text, n },
      })),
    ),
  );
const events = () => db.withOrganization(organizationId, (tx) => exportEvents(tx, 0n, 100));

/** Runs `events verify`, and returns what it wrote. */
const verify = (...args: string[]) =>
  runHere({ DATABASE_URL: database.ownerUrl }, ["events", "verify", ...args]);

test("a chain that was made anew in one piece is found by an anchor and by a file, though it holds in itself", async () => {
  const before = await events();
  const last = before.at(-1)!;
  const note = noteLine({ kind: "anchor", organizationId, seq: last.seq, hash: last.hash, at: last.at });
  const lines = [...eventLines(organizationId, before, ""), note];
  const [ndjsonFile, log, tail] = ["all.ndjson", "syslog.log", "tail.ndjson"].map((name) =>
    join(folder, name),
  );
  await writeFile(ndjsonFile!, ndjson(lines));
  await writeFile(tail!, ndjson(lines.slice(-2)));
  // As a syslog server writes it: without the lengths, a line each.
  const messages = lines.map((line) => syslogFrames([line], "intray").toString().replace(/^\d+ /, ""));
  await writeFile(log!, `${messages.join("\n")}\n`);
  const anchor = `${last.seq}:${last.hash}`;
  const ways = [
    ["--anchor", anchor],
    ["--stream", ndjsonFile!],
    ["--stream", log!],
    ["--stream", tail!],
  ];
  for (const way of ways) expect(await verify("--org", "acme", ...way)).toMatchObject({ code: 0, err: "" });
  for (const file of [ndjsonFile!, log!])
    expect((await verify("--file", file, "--anchor", anchor)).out).toContain('"ok":true');
  // An anchor of a position that the file does not reach.
  expect((await verify("--file", ndjsonFile!, "--anchor", `99:${last.hash}`)).err).toContain("cut");

  await withClient(database.adminUrl, async (client) => {
    await client.query("SET session_replication_role = replica");
    await client.query("DELETE FROM event");
    await client.query("DELETE FROM event_head");
  });
  await append("never paid");
  await append("never paid");
  expect((await verify("--org", "acme")).out).toContain('"ok":true');
  for (const way of ways) {
    const { code, out, err } = await verify("--org", "acme", ...way);
    expect(code).toBe(1);
    expect(out).toContain('"fault":"rewritten"');
    expect(err).toContain("it was rewritten");
  }
  // The file still holds by itself.
  expect((await verify("--file", ndjsonFile!)).out).toContain('"ok":true');
});

test.each([
  ["--anchor", "5"],
  ["--anchor", `0:${"0".repeat(64)}`],
  ["--anchor", `5:${"g".repeat(64)}`],
])("%s %s is no anchor", async (...way) => {
  expect((await verify("--org", "acme", ...way)).err).toContain("--anchor is a position");
});
