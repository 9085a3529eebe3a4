/** Removes the rows of fill.ts from one organization, a few thousand tasks at a time. */
import type pg from "pg";
import { SEED_URL } from "./servers.ts";

const BATCH = 2_000;

export interface Removed {
  tasks: number;
  servers: number;
  /** Tasks at a seeded server that people started, or started again; they stay, and so does the server. */
  kept: number;
}

/** Deletes through the given connection of the database's owner. History keeps its lines. */
export async function removeSeeded(
  client: pg.Client,
  organizationId: string,
  onProgress: (removed: number) => void = () => {},
): Promise<Removed> {
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
  let tasks = 0;
  for (let after = FIRST; ; ) {
    const { rows: seeded } = await client.query<{ id: string }>(SEEDED, [organizationId, after, SEED_URL]);
    const last = seeded.at(-1);
    if (!last) break;
    tasks += await removeTasks(
      client,
      organizationId,
      seeded.map(({ id }) => id),
    );
    onProgress(tasks);
    after = last.id;
  }
  for (const table of ["statistic", "server_stat"])
    await client.query(
      `DELETE FROM ${table} x USING server s WHERE x.organization_id = $1 AND s.organization_id = $1
         AND s.id = x.server_id AND s.url = $2`,
      [organizationId, SEED_URL],
    );
  await client.query(
    `DELETE FROM connection c USING server s WHERE c.organization_id = $1 AND s.organization_id = c.organization_id
       AND s.id = c.server_id AND s.url = $2 AND ${NOTHING_LEFT}`,
    [organizationId, SEED_URL],
  );
  const { rowCount: servers } = await client.query(
    `DELETE FROM server s WHERE s.organization_id = $1 AND s.url = $2 AND ${NOTHING_LEFT}`,
    [organizationId, SEED_URL],
  );
  const { rows } = await client.query<{ kept: number }>(
    `SELECT count(*)::integer AS kept FROM task t JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
     WHERE t.organization_id = $1 AND s.url = $2`,
    [organizationId, SEED_URL],
  );
  return { tasks, servers: servers ?? 0, kept: rows[0]?.kept ?? 0 };
}

const FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Selects seeded tasks along the primary key: tasks at a seeded server, unknown to the engine, that nobody
 * started again as a task of their own.
 */
const SEEDED = `SELECT t.id FROM task t WHERE t.organization_id = $1 AND t.id > $2
    AND t.server_id = ANY (ARRAY(SELECT s.id FROM server s WHERE s.organization_id = $1 AND s.url = $3))
    AND NOT EXISTS (SELECT FROM task_watch w WHERE w.organization_id = t.organization_id AND w.task_id = t.id)
    AND NOT EXISTS (SELECT FROM task again WHERE again.organization_id = t.organization_id AND again.restart_of = t.id)
  ORDER BY t.id LIMIT ${BATCH}`;

const NOTHING_LEFT =
  "NOT EXISTS (SELECT FROM task t WHERE t.organization_id = s.organization_id AND t.server_id = s.id)";

/** Deletes a task's rows before the task. The tasks are locked first, so that no answer comes in between. */
const OF_TASKS = [
  "SELECT 1 FROM task WHERE organization_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR UPDATE",
  "DELETE FROM delivery WHERE organization_id = $1 AND task_id = ANY($2::uuid[])",
  ...["answer", "claim", "draft", "ask"].map(
    (table) => `DELETE FROM ${table} WHERE organization_id = $1 AND input_request_id = ANY (ARRAY(
      SELECT id FROM input_request WHERE organization_id = $1 AND task_id = ANY($2::uuid[])))`,
  ),
  "DELETE FROM input_request WHERE organization_id = $1 AND task_id = ANY($2::uuid[])",
  "DELETE FROM protocol_message WHERE organization_id = $1 AND task_id = ANY($2::uuid[])",
];

async function removeTasks(client: pg.Client, organizationId: string, ids: string[]): Promise<number> {
  await client.query("BEGIN");
  try {
    for (const sql of OF_TASKS) await client.query(sql, [organizationId, ids]);
    const { rowCount } = await client.query(
      "DELETE FROM task WHERE organization_id = $1 AND id = ANY($2::uuid[])",
      [organizationId, ids],
    );
    await client.query("COMMIT");
    return rowCount ?? 0;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
