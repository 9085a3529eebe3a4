/**
 * Committed changes of tasks' states per second, each with its line in the event chain and its live hint, by
 * the engine's own transitions and role: one change per transaction, as steps commit, and a hundred per
 * transaction. In one organization, whose chain has one head, and in twenty. Postgres flushes as in an
 * installation.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createDatabase, type Database } from "../../lib/base/db/db.ts";
import { uuidv7 } from "../../lib/base/ids.ts";
import { publishChanges } from "../../lib/engine/db/publish-changes.ts";
import { recordStatuses } from "../../lib/lifecycle/running-task-writes.ts";
import type { Figure } from "../figure.ts";
import { type Installation, startInstallation } from "../installation.ts";

const TASKS = 2_000;
const ORGANIZATIONS = 20;
const SECONDS = 8;
/** Concurrent transactions: as many as an engine's connections for steps. */
const AT_ONCE = 8;
const BATCH = 100;

interface Place {
  organizationId: string;
  tasks: string[];
}

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation();
  const database = createDatabase(installation.database.engineUrl, { connections: AT_ONCE + 1 });
  try {
    const one = [await place(installation, "one", TASKS)];
    const many: Place[] = [];
    for (let n = 0; n < ORGANIZATIONS; n++)
      many.push(await place(installation, `many-${n}`, TASKS / ORGANIZATIONS));
    const figures: Figure[] = [];
    for (const [where, places] of [
      ["one organization", one],
      [`${ORGANIZATIONS} organizations`, many],
    ] as const)
      for (const batch of [1, BATCH])
        figures.push({
          what: `state changes in ${where}, ${batch === 1 ? "one" : batch} in a transaction`,
          value: await rateOf(database, places, batch),
          unit: "/s",
          ...(batch > 1 && { goal: { atLeast: 5_000 } }),
        });
    return figures;
  } finally {
    await database.close();
    await installation.end();
  }
}

/** Returns changes per second, with the pump that sends their hints running. */
async function rateOf(database: Database, places: Place[], batch: number): Promise<number> {
  const stop = new AbortController();
  let changed = 0;
  let turn = 0;
  const pump = async () => {
    while (!stop.signal.aborted) {
      await publishChanges(database);
      await sleep(20);
    }
  };
  const writer = async (first: number) => {
    for (let at = first; !stop.signal.aborted; at += AT_ONCE) {
      const { organizationId, tasks } = places[at % places.length]!;
      const from = (Math.floor(at / places.length) * batch) % tasks.length;
      const ids = tasks.slice(from, from + batch);
      const statusMessage = `Step ${turn++}`;
      let written = 0;
      await database.withOrganization(organizationId, async (tx) => {
        const news = ids.map((taskId) => ({ ...NEWS, taskId, statusMessage }));
        written = await recordStatuses(tx, news);
      });
      changed += written;
    }
  };
  const began = performance.now();
  const working = Array.from({ length: AT_ONCE }, (_, n) => writer(n));
  const pumping = pump();
  await sleep(SECONDS * 1_000);
  stop.abort();
  await Promise.all([...working, pumping]);
  return changed / ((performance.now() - began) / 1_000);
}

const NEWS = { state: "working" as const, ttlMs: null, pollIntervalMs: 5_000 };

async function place(installation: Installation, slug: string, count: number): Promise<Place> {
  const organizationId = await installation.organization(slug);
  const client = new pg.Client({ connectionString: installation.database.ownerUrl });
  await client.connect();
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
  const [server, connection] = [uuidv7(), uuidv7()];
  await client.query(
    `INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind)
     VALUES ($1, $2, 'ERP', 'https://bench.invalid/mcp', 'auto', 'none')`,
    [organizationId, server],
  );
  await client.query("INSERT INTO connection (organization_id, id, server_id) VALUES ($1, $2, $3)", [
    organizationId,
    connection,
    server,
  ]);
  const { rows } = await client.query(
    `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, state, watched, visibility,
       requested_by, era, sealed_handle, started_at)
     SELECT $1, uuidv7(), $2, $3, 'pay', '{}', 'working', true, 'organization', '{"kind": "engine"}', '2026-07-28', 'h',
       now() FROM generate_series(1, $4::integer) RETURNING id`,
    [organizationId, server, connection, count],
  );
  await client.end();
  return { organizationId, tasks: rows.map(({ id }) => id).sort() };
}
