/** Lines whose details are long: lists leave the details out, and exports take few of such lines at a time. */
import { expect, test } from "vitest";
import { createTestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { COMMAND_LINE, createOrganization } from "../../people/organizations/organization-writes.ts";
import { exportedLines, listEvents } from "./event-reads.ts";
import { appendEvents } from "./event-writes.ts";

test("a list has all lines in their order, and no details of those that are too long; an export has them", async () => {
  const database = await createTestDatabase();
  const db = createDatabase(database.ownerUrl, { connections: 1 });
  const id = uuidv7();
  const data = { rules: Array.from({ length: 20_000 }, (_, n) => `rule ${n}`) };
  const line = (type: "policy.changed" | "server.created", data: object) =>
    db.withOrganization(id, (tx) =>
      appendEvents(tx, [{ type, actor: COMMAND_LINE, data: data as Record<string, unknown> }]),
    );
  await db.withOrganization(id, (tx) => createOrganization(tx, { slug: "acme", name: "Acme" }));
  await line("policy.changed", data);
  await line("server.created", { name: "ERP" });
  await line("policy.changed", data);
  await line("policy.changed", data);

  const { items } = await db.withOrganization(id, (tx) => listEvents(tx, { limit: 4 }));
  expect(items.map(({ type, detailsLeftOut }) => [type, detailsLeftOut])).toEqual([
    ["policy.changed", true],
    ["policy.changed", true],
    ["server.created", undefined],
    ["policy.changed", true],
  ]);
  expect(items.map((item) => item.data)).toEqual([{}, {}, { name: "ERP" }, {}]);
  const found = await db.withOrganization(id, (tx) => listEvents(tx, { limit: 1, q: "rule 19999" }));
  expect(found.items).toMatchObject([{ type: "policy.changed", detailsLeftOut: true }]);

  const pieces: string[] = [];
  for await (const piece of exportedLines((work) => db.withOrganization(id, work))) pieces.push(piece);
  await db.close();
  await database.drop();
  const lines = pieces.flatMap((piece) =>
    piece
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text)),
  );
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(lines.at(-1).data).toEqual(data);
  expect(pieces.length).toBeGreaterThan(1);
});
