/** Held calls are read again and again, all of an agent's together: never more of them in one turn than the process can bear. */
import { expect, test } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { busiestTurn, MOST_HELD_MS } from "../../../test/guards/busiest-turn.ts";
import { readSomeAgentTasks } from "./agent-call-reads.ts";

const fixture = organizationForFile([]);
const MIB = 1024 * 1024;

const LONG = { words: Array.from({ length: 40_000 }, (_, at) => `word ${at}`) };

async function insertCall(column: string): Promise<string> {
  const { database, organizationId, sql } = fixture;
  const server = await insertServer(database, organizationId);
  if (column === "result")
    return insertTask(database, organizationId, server, { state: "completed", result: LONG });
  const id = await insertTask(database, organizationId, server, { arguments: LONG });
  await sql("UPDATE task SET asked_arguments = arguments WHERE id = $1", [id]);
  const request = await insertRequest(database, organizationId, id, { message: "Make this call?" });
  await sql(
    `INSERT INTO answer (organization_id, id, input_request_id, question_hash, any_wording, action, revise, changes, content, answered_by)
      SELECT $1, gen_random_uuid(), $2, $3, false, 'accept', false, true, '{"arguments": {}}', '{"kind": "member", "id": null, "name": "Ben"}'`,
    [organizationId, request.id, request.questionHash],
  );
  return id;
}

test.each([
  ["results", "result"],
  ["arguments that people changed", "asked_arguments"],
])("no more %s are read at once than are asked for, and those of one task", async (_, column) => {
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await insertCall(column));
  const read = () => fixture.within((tx) => readSomeAgentTasks(tx, fixture.operator, { ids, bytes: MIB }));
  const { tasks, left } = await read();
  expect(tasks.size + left.length).toBe(12);
  expect(tasks.size).toBeLessThanOrEqual(4);
  expect(await busiestTurn(async () => (await read()).left.length)).toBeLessThan(MOST_HELD_MS);
});
