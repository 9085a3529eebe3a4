/** Writes seeded requests, a few thousand at a time, straight into the tables, without calling tools. */
import type pg from "pg";
import { insertRows } from "./insert.ts";
import { type Member, rowsOf } from "./rows.ts";
import { makeServers, type Place } from "./servers.ts";

const BATCH = 2_000;

export interface FillOptions {
  open: number;
  settled: number;
  /** The only server to fill; without it, several. */
  server?: string | undefined;
  /** Gets the number written so far. */
  onProgress?: (written: number) => void;
}

/**
 * Writes through the given connection of the database's owner. The tasks have no row in `task_watch`, by
 * which the engine reads tasks, so the engine keeps nothing in memory for them and calls no server.
 */
export async function fill(client: pg.Client, organizationId: string, options: FillOptions): Promise<void> {
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
  const members = await membersOf(client, organizationId);
  const servers = await makeServers(client, organizationId, options.server, "unreachable");
  const placeOf = (name: string): Place => servers.get(name) ?? [...servers.values()][0]!;
  const now = Date.now();
  let written = 0;
  for (const [kind, count] of [
    ["settled", options.settled],
    ["open", options.open],
  ] as const) {
    // Continues the existing numbers, so that a second seed does not repeat the first.
    const first = await countRequests(client, organizationId);
    for (let done = 0; done < count; done += BATCH) {
      const size = Math.min(BATCH, count - done);
      const rows = Array.from({ length: size }, (_, n) =>
        rowsOf(first + done + n, kind, (done + n + 0.5) / count, members, placeOf, now),
      );
      await insertRows(client, organizationId, rows);
      written += size;
      options.onProgress?.(written);
    }
  }
}

/** Members who could have asked or be asked, in order of age. Throws if the organization has none. */
export async function membersOf(client: pg.Client, organizationId: string): Promise<Member[]> {
  const { rows } = await client.query<Member>(
    'SELECT u.id, u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id WHERE m.organization_id = $1 ORDER BY m.created_at',
    [organizationId],
  );
  if (rows.length === 0)
    throw new Error("The organization has no members, who could have asked or be asked.");
  return rows;
}

async function countRequests(client: pg.Client, organizationId: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT count(*)::integer AS count FROM input_request WHERE organization_id = $1",
    [organizationId],
  );
  return rows[0].count;
}
