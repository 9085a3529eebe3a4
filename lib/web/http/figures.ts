/** Figures of the whole installation at the time of a scrape, from the database. None names a tenant. */
import { Gauge, type Registry } from "prom-client";
import { type Database, Prisma } from "../../base/db/db.ts";
import { ENGINE_SEEN_MS, FIGURES_CAP } from "../tunables.ts";

interface Figure {
  help: string;
  label?: string;
  /** Label values that are shown as 0 when absent. */
  always: string[];
}

/** Figures by the names of gate.figures() and `readFigures`. */
const FIGURES = {
  database_up: { help: "1 where the database answers.", always: [""] },
  engines: { help: "Engine processes that were seen in the last 15 s.", always: [""] },
  engine_leases: { help: "Connections that an engine watches.", label: "engine", always: [] },
  database_connections: {
    help: "Connections to the database, and who waits for one.",
    label: "state",
    always: [],
  },
  open_tasks: {
    help: "Tasks that have not ended, by state.",
    label: "state",
    always: ["queued", "starting", "start_unknown", "working", "input_required"],
  },
  open_requests: {
    help: "Questions that wait for a person, by age. Each is counted only in the youngest class that fits.",
    label: "age",
    always: ["1m", "1h", "1d", "7d", "older"],
  },
  oldest_request_seconds: { help: "The age of the question that waits longest.", always: [""] },
  open_deliveries: {
    help: "Answers on their way, by state; flagged: the server took it and still asks.",
    label: "state",
    always: ["held", "pending", "sending", "accepted", "flagged"],
  },
  overdue_delivery_seconds: {
    help: "How long the answer has waited that could have been sent first.",
    always: [""],
  },
  follower_behind_events: {
    help: "Lines of history that a follower has not read.",
    label: "follower",
    always: [],
  },
  follower_lag_seconds: {
    help: "How long the first unread line of a follower has waited.",
    label: "follower",
    always: [],
  },
} satisfies Record<string, Figure>;
type Name = keyof typeof FIGURES;

export type Figures = Record<Name, Gauge>;

export function createFigures(registry: Registry): Figures {
  const gauges = Object.entries<Figure>(FIGURES).map(([name, { help, label }]) => [
    name,
    new Gauge({ name: `intray_${name}`, help, labelNames: label ? [label] : [], registers: [registry] }),
  ]);
  return Object.fromEntries(gauges) as Figures;
}

interface EngineRow {
  id: string;
  leases: number;
  metrics: unknown;
}

/** The database's figures as of now, and the live engines. */
export async function readFigures(db: Database): Promise<{ values: Value[]; engines: EngineRow[] }> {
  const engines =
    await db.gate<EngineRow>(Prisma.sql`SELECT left(id::text, 8) AS id, leases, metrics FROM engine
    WHERE seen_at > now() - ${ENGINE_SEEN_MS} * interval '1 ms' ORDER BY started_at`);
  const counted = await db.gate<{ figure: Name; label: string; value: number | null }>(
    Prisma.sql`SELECT * FROM gate.figures(${FIGURES_CAP}::integer)`,
  );
  const values: Value[] = [
    ["database_up", "", 1],
    ["engines", "", engines.length],
    ...engines.map(({ id, leases }): Value => ["engine_leases", id, leases]),
    ...Object.entries(db.pool()).map(([state, count]): Value => ["database_connections", state, count]),
    ...counted.map(({ figure, label, value }): Value => [figure, label, value ?? 0]),
  ];
  return { values, engines };
}
type Value = [name: Name, label: string, value: number];

/** Shows these values, and resets the ones shown before. */
export function showFigures(gauges: Figures, values: Value[]): void {
  for (const [name, { label, always }] of Object.entries<Figure>(FIGURES)) {
    const gauge = gauges[name as Name];
    const set = (value: string, to: number) => gauge.set(label ? { [label]: value } : {}, to);
    gauge.reset();
    for (const value of always) set(value, 0);
    for (const [of, value, to] of values) if (of === name) set(value, to);
  }
}
