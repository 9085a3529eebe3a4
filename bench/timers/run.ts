/**
 * Timers of requests: 100,000 wait; some hundreds fall due over a minute, then as many at one moment, before two engines of which
 * one is killed with -9 in the middle. How late each fired, whether any fired twice or never, and what the waiting ones cost.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Approval, approvalSchema } from "../../lib/policy/judge.ts";
import { type Figure, quantile } from "../figure.ts";
import { startInstallation } from "../installation.ts";
import { cpuMs } from "../life/meter.ts";
import { fillByCopies } from "../lists/fill.ts";

const WAITING = Number(process.env.BENCH_TIMERS_WAITING ?? 100_000);
const DUE = 400;
const SPREAD_MS = 60_000;
/** When one of the engines is killed, from the first due time on. */
const KILLED_AFTER_MS = 25_000;
const IDLE_MS = 30_000;
/** The goal of docs/performance.md. */
const GOAL = { atMost: 5 };

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation(["autovacuum=off"]);
  const admin = new pg.Client({ connectionString: installation.database.adminUrl });
  try {
    await admin.connect();
    const organizationId = await installation.organization("acme");
    for (const name of ["Ben", "Cleo", "Dora"]) await installation.member(organizationId, name, "approver");
    await fillByCopies(installation.database, organizationId, { open: WAITING, settled: 2_000 });
    const first = await installation.startEngine();
    await sleep(15_000);
    const without = await idleCore(first.pid);
    await arm(admin, organizationId);
    await sleep(15_000);
    const withTimers = await idleCore(first.pid);
    await installation.startEngine();
    await sleep(5_000);

    const spread = await fallDue(admin, organizationId, SPREAD_MS);
    await sleep(KILLED_AFTER_MS);
    await first.kill();
    const overAMinute = await outcomeOf(admin, spread);
    await installation.startEngine();
    await sleep(5_000);
    const atOnce = await outcomeOf(admin, await fallDue(admin, organizationId, 0));
    const waiting = WAITING.toLocaleString("en");
    return [
      {
        what: `an idle engine, ${waiting} timers waiting: share of a core`,
        value: withTimers * 100,
        unit: "%",
        beside: { "none waiting": without * 100 },
      },
      ...figuresOf(`${DUE} over a minute, an engine killed`, overAMinute, { goal: GOAL }),
      // As after a night: for comparison.
      ...figuresOf(`${DUE} at one moment`, atOnce),
    ];
  } finally {
    await admin.end();
    await installation.end();
  }
}

interface Outcome {
  /** Seconds from due to fired. */
  lateness: number[];
  twice: number;
  never: number;
}

function figuresOf(
  name: string,
  { lateness, twice, never }: Outcome,
  goal: Pick<Figure, "goal"> = {},
): Figure[] {
  const late = (of: string, value: number): Figure => ({ what: `${name}: late, ${of}`, value, unit: "s" });
  return [
    late("p50", quantile(lateness, 0.5)),
    late("p99", quantile(lateness, 0.99)),
    { ...late("most", Math.max(...lateness)), ...goal },
    { what: `${name}: fired twice`, value: twice, unit: "", goal: { atMost: 0 } },
    { what: `${name}: never fired`, value: never, unit: "", goal: { atMost: 0 } },
  ];
}

const APPROVAL: Approval = approvalSchema.parse({
  rule: "All",
  version: 1,
  requester: "excluded",
  dueAt: "2030-01-01T00:00:00.000Z",
  failed: [],
  stages: [
    {
      ...{ name: "Approvers", roles: ["approver"], people: [], need: 1, rejections: 1 },
      ...{ stepUp: false, requireReason: [], remind: ["4h"] },
    },
  ],
  open: { stage: 0, roles: ["approver"], people: [], voted: [] },
});

/** Gives each open request a rule, and a reminder that comes in a month. */
async function arm(admin: pg.Client, organizationId: string): Promise<void> {
  await admin.query("UPDATE input_request SET approval = $2 WHERE organization_id = $1 AND state = 'open'", [
    organizationId,
    JSON.stringify(APPROVAL),
  ]);
  await admin.query(
    `INSERT INTO request_timer (organization_id, input_request_id, kind, stage, after, starts_at, due_at)
     SELECT organization_id, id, 'remind', 0, '4h', now(), now() + interval '30 days' + random() * interval '30 days'
     FROM input_request WHERE organization_id = $1 AND state = 'open'`,
    [organizationId],
  );
  await admin.query("VACUUM ANALYZE");
}

/** Lets timers fall due, evenly over this time, beginning in a second. Returns their requests. */
async function fallDue(admin: pg.Client, organizationId: string, overMs: number): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `UPDATE request_timer t SET due_at = date_trunc('milliseconds', now()) + interval '1 s' + chosen.n * $3::float8 * interval '1 ms'
     FROM (SELECT id, row_number() OVER () - 1 AS n FROM request_timer
       WHERE organization_id = $1 AND fired_at IS NULL ORDER BY id LIMIT $2) chosen
     WHERE t.organization_id = $1 AND t.id = chosen.id RETURNING t.input_request_id AS id`,
    [organizationId, DUE, overMs / DUE],
  );
  // As those who write timers do.
  await admin.query("NOTIFY intray_wake");
  return rows.map(({ id }) => id);
}

async function outcomeOf(admin: pg.Client, requests: string[]): Promise<Outcome> {
  const until = performance.now() + SPREAD_MS + 60_000;
  for (;;) {
    const { rows } = await admin.query<{ left: number }>(
      "SELECT count(*)::integer AS left FROM request_timer WHERE input_request_id = ANY ($1) AND fired_at IS NULL",
      [requests],
    );
    if (rows[0]?.left === 0 || performance.now() > until) break;
    await sleep(500);
  }
  const fired = await admin.query<{ late: number }>(
    `SELECT extract(epoch FROM fired_at - due_at)::float8 AS late FROM request_timer
     WHERE input_request_id = ANY ($1) AND fired_at IS NOT NULL`,
    [requests],
  );
  // Of each request the history has one line for each time that it was fired.
  const lines = await admin.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM event WHERE input_request_id = ANY ($1) AND type = 'request.reminded'
     GROUP BY input_request_id`,
    [requests],
  );
  return {
    lateness: fired.rows.map(({ late }) => late),
    twice: lines.rows.filter(({ count }) => count > 1).length,
    never: requests.length - lines.rows.length,
  };
}

/** The share of a core that a process takes while nothing happens. */
async function idleCore(pid: number): Promise<number> {
  const [before, from] = [cpuMs(pid), performance.now()];
  await sleep(IDLE_MS);
  return (cpuMs(pid) - before) / (performance.now() - from);
}
