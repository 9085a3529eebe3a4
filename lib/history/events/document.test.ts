/** Runs the example of docs/event-log.md for verifying an export. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { exportedLines } from "./event-reads.ts";
import { appendEvents } from "./event-writes.ts";

let folder: string;
let example: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "intray-document-"));
  const document = await readFile("docs/event-log.md", "utf8");
  const block = (language: string) => document.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
  await writeFile(join(folder, "check.mjs"), block("js"));
  example = block("ndjson");
});
afterAll(() => rm(folder, { recursive: true }));

async function check(exported: string): Promise<string> {
  const file = join(folder, "export.ndjson");
  await writeFile(file, exported);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "check.mjs"), file]);
  return stdout;
}

test("the document's example holds, and no longer when a letter of it is another", async () => {
  expect(await check(example)).toMatch(/^2 lines, whole; head [0-9a-f]{64}\n$/);
  await expect(check(example.replaceAll("Ana", "Eve"))).rejects.toThrow(/broken at line 1/);
});

test("the document's program checks what Intray exports", async () => {
  const database = await createTestDatabase();
  const db = createDatabase(database.ownerUrl, { connections: 1 });
  const id = uuidv7();
  await db.withOrganization(id, async (tx) => {
    await createOrganization(tx, { slug: "acme", name: "Acme" });
    await appendEvents(tx, [
      { type: "server.created", actor: COMMAND_LINE, data: { name: "Ключ \u2028", zz: 1, a: [1e21, 0.1] } },
    ]);
  });
  let exported = "";
  for await (const piece of exportedLines((work) => db.withOrganization(id, work))) exported += piece;
  await db.close();
  await database.drop();
  expect(await check(exported)).toMatch(/^2 lines, whole/);
  await expect(check(exported.split("\n").slice(1).join("\n"))).rejects.toThrow(/broken at line 1/);
});
