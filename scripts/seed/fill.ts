/** Writes seeded requests, a few thousand at a time, straight into the tables: no tool is called for them. */
import type pg from "pg";
import { uuidv7 } from "../../lib/ids.ts";
import { type Member, type Place, rowsOf } from "./rows.ts";

/** Where seeded servers "are": a name that can never be looked up (RFC 2606). It also tells them from real ones. */
export const SEED_URL = "https://seed.invalid/mcp";
const BATCH = 2_000;

export interface FillOptions {
  open: number;
  settled: number;
  /** The only server there is to be; without one, several. */
  server?: string | undefined;
  /** Gets the number written so far. */
  onProgress?: (written: number) => void;
}

/**
 * As the database's owner, whose connection is given. The tasks have no row in `task_watch`, which the engine reads
 * tasks by: it holds nothing in memory for them and asks nobody.
 */
export async function fill(client: pg.Client, organizationId: string, options: FillOptions): Promise<void> {
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
  const { rows: members } = await client.query<Member>(
    'SELECT u.id, u.name, m.role FROM membership m JOIN "user" u ON u.id = m.user_id WHERE m.organization_id = $1 ORDER BY m.created_at',
    [organizationId],
  );
  if (members.length === 0)
    throw new Error("The organization has no members, who could have asked or be asked.");
  const servers = await makeServers(client, organizationId, options.server);
  const placeOf = (name: string): Place => servers.get(name) ?? [...servers.values()][0]!;
  const now = Date.now();
  let written = 0;
  for (const [kind, count] of [
    ["settled", options.settled],
    ["open", options.open],
  ] as const) {
    // Numbered on from what is there, so that a second seed does not repeat the first.
    const first = await countRequests(client, organizationId);
    for (let done = 0; done < count; done += BATCH) {
      const size = Math.min(BATCH, count - done);
      const rows = Array.from({ length: size }, (_, n) =>
        rowsOf(first + done + n, kind, (done + n + 0.5) / count, members, placeOf, now),
      );
      await client.query("BEGIN");
      for (const [sql, values] of statements(rows))
        await client.query(sql, [organizationId, JSON.stringify(values)]);
      await client.query("COMMIT");
      written += size;
      options.onProgress?.(written);
    }
  }
}

async function countRequests(client: pg.Client, organizationId: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT count(*)::integer AS count FROM input_request WHERE organization_id = $1",
    [organizationId],
  );
  return rows[0].count;
}

async function makeServers(
  client: pg.Client,
  organizationId: string,
  only: string | undefined,
): Promise<Map<string, Place>> {
  const names = only ? [only] : ["ERP", "Procurement", "CRM", "People", "Deploy", "Travel", "Contracts"];
  const places = new Map<string, Place>();
  for (const name of names) {
    const known = await client.query<Place>(
      `SELECT s.id AS "serverId", c.id AS "connectionId" FROM server s
       JOIN connection c ON c.organization_id = s.organization_id AND c.server_id = s.id
       WHERE s.organization_id = $1 AND s.name = $2 AND s.url = $3 AND s.removed_at IS NULL`,
      [organizationId, `Seed ${name}`, SEED_URL],
    );
    const place = known.rows[0] ?? { serverId: uuidv7(), connectionId: uuidv7() };
    places.set(name, place);
    if (known.rows[0]) continue;
    await client.query(
      `INSERT INTO server (organization_id, id, name, url, era_setting, era, auth_kind, health_state, health_message,
         health_checked_at) VALUES ($1, $2, $3, $4, '2026-07-28', '2026-07-28', 'none', 'unreachable', $5, now())`,
      [
        organizationId,
        place.serverId,
        `Seed ${name}`,
        SEED_URL,
        "Made by the seed: there is no server behind it.",
      ],
    );
    await client.query("INSERT INTO connection (organization_id, id, server_id) VALUES ($1, $2, $3)", [
      organizationId,
      place.connectionId,
      place.serverId,
    ]);
  }
  return places;
}

/** Each with what goes into `$2` as JSON; `$1` is the organization. */
function statements(rows: ReturnType<typeof rowsOf>[]): [string, unknown[]][] {
  const claims = rows.flatMap(({ claim }) => claim ?? []);
  const answers = rows.flatMap(({ answer }) => answer ?? []);
  return [
    [
      `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, label, state, watched, visibility,
         requested_by, requester_user_id, era, created_at, started_at, changed_at, finished_at)
       SELECT $1, x.id, x.server_id, x.connection_id, x.tool, x.arguments, x.label, x.state, x.watched, x.visibility,
         x.requested_by, x.requester_user_id, '2026-07-28', x.created_at, x.created_at, x.changed_at, x.finished_at
       FROM json_to_recordset($2) AS x(id uuid, server_id uuid, connection_id uuid, tool text, arguments json, label text,
         state text, watched boolean, visibility text, requested_by jsonb, requester_user_id uuid,
         created_at timestamptz, changed_at timestamptz, finished_at timestamptz)`,
      rows.map(({ task }) => task),
    ],
    [
      `INSERT INTO input_request (organization_id, id, task_id, connection_id, key, state, ended_reason, mode, message,
         requested_schema, url, form, question_hash, amount, currency, assignee_user_id, created_at, ended_at, expires_at)
       SELECT $1, x.id, x.task_id, x.connection_id, 'seed', x.state, x.ended_reason, x.mode, x.message,
         x.requested_schema, x.url, x.form, x.question_hash, x.amount, x.currency, x.assignee_user_id, x.created_at,
         x.ended_at, x.expires_at
       FROM json_to_recordset($2) AS x(id uuid, task_id uuid, connection_id uuid, state text, ended_reason text, mode text,
         message text, requested_schema json, url text, form jsonb, question_hash text, amount float8, currency text,
         assignee_user_id uuid, created_at timestamptz, ended_at timestamptz, expires_at timestamptz)`,
      rows.map(({ request }) => request),
    ],
    [
      `INSERT INTO claim (organization_id, input_request_id, user_id)
       SELECT $1, x.request, x.user FROM json_to_recordset($2) AS x(request uuid, "user" uuid)`,
      claims,
    ],
    [
      `WITH x AS (SELECT * FROM json_to_recordset($2) AS x(id uuid, delivery_id uuid, request uuid, task uuid,
           question_hash text, action text, content json, comment text, answered_by jsonb, at timestamptz)),
         given AS (INSERT INTO answer (organization_id, id, input_request_id, question_hash, action, content, comment,
           answered_by, created_at)
         SELECT $1, x.id, x.request, x.question_hash, x.action, x.content, x.comment, x.answered_by, x.at FROM x)
       INSERT INTO delivery (organization_id, id, answer_id, input_request_id, task_id, state, deliver_after, attempts,
         sent_at, accepted_at, confirmed_at, rung)
       SELECT $1, x.delivery_id, x.id, x.request, x.task, 'confirmed', x.at, 1, x.at, x.at, x.at, 'update' FROM x`,
      answers,
    ],
  ];
}
