/** Time that passes for rows, so that no test waits for days; and a way to see that nothing was written. */
import pg from "pg";
import type { World } from "./world.ts";

/**
 * A task of that many days ago, that has been polled all the time since and did not change. For while no engine runs:
 * one that does has read the task already.
 */
export async function age(world: World, taskId: string, days: number): Promise<void> {
  const back = [taskId, `${days} days`];
  await admin(world, async (client) => {
    await client.query(
      `UPDATE task SET created_at = created_at - $2::interval, started_at = started_at - $2::interval,
        attempt_at = attempt_at - $2::interval, attempt_deadline_at = attempt_deadline_at - $2::interval,
        changed_at = changed_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1`,
      back,
    );
    await client.query(
      `UPDATE input_request SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
        WHERE task_id = $1`,
      back,
    );
    await client.query("UPDATE ask SET created_at = created_at - $2::interval WHERE task_id = $1", back);
    await client.query("UPDATE task_watch SET unchanged_polls = 1000 WHERE task_id = $1", [taskId]);
  });
}

/**
 * Differs when any row was inserted, updated or deleted, or a hint was given, but for when tasks were polled, which
 * engines live, and figures, which are added up from the rest at times of their own.
 */
export async function fingerprintOfRows(world: World): Promise<string> {
  return admin(world, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
        AND table_type = 'BASE TABLE' AND table_name NOT IN ('task_watch', 'engine', 'change',
          'server_stat', 'statistic', 'statistic_sample', 'event_follower') ORDER BY 1`,
    );
    // Hints are taken out soon after they were put in: how many there have been counts.
    const hints = await client.query(
      "SELECT last_value FROM pg_sequences WHERE sequencename = 'change_id_seq'",
    );
    const seen = [`hints: ${hints.rows[0].last_value}`];
    for (const { name } of rows) {
      const state = await client.query<{ versions: string | null }>(
        `SELECT string_agg(ctid::text || xmin::text, ' ' ORDER BY ctid) AS versions FROM "${name}"`,
      );
      seen.push(`${name}: ${state.rows[0]?.versions ?? "none"}`);
    }
    return seen.join("\n");
  });
}

async function admin<T>(world: World, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: world.adminUrl });
  await client.connect();
  return work(client).finally(() => client.end());
}
