/** A million requests in a minute or two: the seed makes a few thousand, and the rest are copies. */
import pg from "pg";
import { fill } from "../../scripts/seed/fill.ts";

export interface Amounts {
  open: number;
  settled: number;
}

const ORIGINALS = 2_000;
const YEAR_S = 365 * 86_400;

/**
 * Fills an organization. `adminUrl`: of a superuser, because only superusers may disable triggers and foreign
 * keys; the copies contain the values that triggers would have written. Copy n of a row has n at the end of
 * its ids, in its label and wherever the label occurs, and slightly earlier times, so that all are spread
 * over a year like the originals, and lie on disk in that order.
 */
export async function fillByCopies(
  urls: { ownerUrl: string; adminUrl: string },
  organizationId: string,
  { open, settled }: Amounts,
): Promise<void> {
  const first = { open: Math.min(open, ORIGINALS), settled: Math.min(settled, ORIGINALS) };
  const owner = new pg.Client({ connectionString: urls.ownerUrl });
  await owner.connect();
  await fill(owner, organizationId, first);
  await owner.end();
  // Two connections, for a machine with two cores.
  const admins = await Promise.all([connect(urls.adminUrl), connect(urls.adminUrl)]);
  try {
    const [admin] = admins;
    await admin.query(
      `CREATE UNLOGGED TABLE original AS SELECT t.id AS task_id, r.id AS request_id, r.state = 'open' AS open,
        coalesce(t.label, '') AS label, r.created_at AS at
      FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
      WHERE r.organization_id = '${organizationId}'`,
    );
    const indexes = await dropIndexes(admin);
    const copy = async (client: pg.Client, tables: [string, string][]) => {
      for (const [table, on] of tables)
        for (const isOpen of [false, true]) {
          const copies = Math.round((isOpen ? open / first.open : settled / first.settled) - 1);
          const step = isOpen ? 30 : YEAR_S / first.settled / (copies + 1);
          const columns = await columnsOf(client, table);
          await client.query(
            `INSERT INTO ${table} (${columns.join(", ")})
             SELECT ${columns.map(copied).join(", ")} FROM (SELECT * FROM original WHERE open = $1 ORDER BY at) o
               JOIN ${table} x ON x.organization_id = $2 AND ${on},
               LATERAL (SELECT n, lpad(n::text, 4, '0') AS number, n * $4::float8 * interval '1 s' AS earlier
                 FROM generate_series(1, $3::integer) n) copy`,
            [isOpen, organizationId, copies, step],
          );
        }
    };
    await Promise.all([copy(admins[0], TABLES.slice(1)), copy(admins[1], TABLES.slice(0, 1))]);
    await Promise.all(TEXTS.map(([table, of], n) => refill(admins[n % admins.length]!, table, of)));
    // Each connection takes the next index.
    await Promise.all(
      admins.map(async (client) => {
        for (let next = indexes.shift(); next; next = indexes.shift()) await client.query(next);
      }),
    );
    await admin.query("DROP TABLE original");
    await admin.query("DELETE FROM open_tasks");
    await admin.query(
      `INSERT INTO open_tasks SELECT organization_id, task_requester(requested_by), count(*) FROM task
       WHERE finished_at IS NULL GROUP BY 1, 2`,
    );
    await admin.query("VACUUM ANALYZE");
  } finally {
    await Promise.all(admins.map((client) => client.end()));
  }
}

async function connect(adminUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query("SET session_replication_role = replica");
  await client.query("SET maintenance_work_mem = '1GB'");
  await client.query("SET work_mem = '256MB'");
  return client;
}

/** Tables, each with the condition that joins a row `x` to its original `o`. */
const TABLES: [string, string][] = [
  ["task", "x.id = o.task_id"],
  ["input_request", "x.id = o.request_id"],
  ["answer", "x.input_request_id = o.request_id"],
  ["delivery", "x.input_request_id = o.request_id"],
];

/** Search tables maintained by triggers, and the query that fills each. */
const TEXTS: [string, string][] = [
  [
    "ended_task_text",
    "id, task_search(tool, label, status_message, arguments) FROM task WHERE finished_at IS NOT NULL",
  ],
  [
    "open_task_text",
    "id, task_search(tool, label, status_message, arguments) FROM task WHERE finished_at IS NULL",
  ],
  ["open_request_text", "id, search FROM input_request WHERE state IN ('open', 'answered')"],
];

async function refill(admin: pg.Client, table: string, of: string): Promise<void> {
  await admin.query(`TRUNCATE ${table}`);
  await admin.query(`INSERT INTO ${table} SELECT organization_id, ${of}`);
}

const IDS = ["id", "task_id", "input_request_id", "answer_id"];
const TIMES = ["created_at", "started_at", "changed_at", "finished_at", "ended_at", "accepted_at", "sent_at"];

/** Returns the SQL for a column of a copy. */
function copied(column: string): string {
  const said = (text: string) => `replace(${text}, o.label, o.label || copy.number)`;
  if (IDS.includes(column))
    return `overlay(x.${column}::text PLACING lpad(to_hex(copy.n), 8, '0') FROM 29)::uuid`;
  if (TIMES.includes(column)) return `x.${column} - copy.earlier`;
  if (column === "label" || column === "message") return said(`x.${column}`);
  if (column === "arguments") return `${said("x.arguments::text")}::json`;
  if (column === "search") return "replace(x.search, lower(o.label), lower(o.label) || copy.number)";
  if (column === "question_hash")
    return "encode(sha256(convert_to(x.question_hash || copy.n, 'UTF8')), 'hex')";
  if (column === "amount") return "x.amount + copy.n % 100 / 4.0";
  return `x.${column}`;
}

async function columnsOf(admin: pg.Client, table: string): Promise<string[]> {
  const { rows } = await admin.query(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/**
 * Drops all indexes except primary keys, because a million insertions into each are slower than recreating
 * them. Returns the statements that recreate them.
 */
async function dropIndexes(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
     WHERE i.indrelid = ANY ($1::regclass[]) AND NOT i.indisprimary`,
    [[...TABLES, ...TEXTS].map(([table]) => table)],
  );
  for (const { name } of rows) await admin.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}
