/** Fills a task monitor: a month of tasks on several servers, most of them ended, and three stuck. */
import type pg from "pg";
import type { Seal } from "../../lib/base/seal.ts";
import { classOf } from "../../lib/requests/statistics/durations.ts";
import { beginOf, type Measure, STRETCHES, type Stretch } from "../../lib/requests/statistics/measures.ts";
import { randomFor } from "../../test/chaos/random.ts";
import { insertDecisions, type SeededRule } from "./automatic.ts";
import { membersOf } from "./fill.ts";
import { insertRows } from "./insert.ts";
import { makeServers, writeCalls } from "./servers.ts";
import { stuckRows } from "./stuck.ts";
import { type Life, type TaskRows, taskRowsOf } from "./task-rows.ts";

/** Adds up the overview's figures for seeded tasks, as the engine would have while they ran. */
const HOUR = 3600_000;
/** How often open tasks are counted. */
const SAMPLE_MS = 300_000;
/** How long figures by the hour are kept. */
const HOURS_KEPT_MS = 3 * 24 * HOUR;

class Figures {
  #amounts = new Map<string, number>();
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  count(serverId: string, { createdAt, askedAt, answeredAt, endedAt, end, kind, rung }: TaskRows["figures"]) {
    this.#add(serverId, createdAt, "started");
    const until = endedAt ?? this.#now;
    this.#spread(serverId, createdAt, askedAt ?? until, "open:working");
    if (askedAt !== null) {
      this.#spread(serverId, askedAt, answeredAt ?? until, "open:input_required");
      this.#spread(serverId, answeredAt ?? until, until, "open:working");
    }
    if (answeredAt !== null) {
      this.#add(serverId, answeredAt, `decided:${classOf(answeredAt - askedAt!)}`);
      for (const result of ["accepted", "confirmed"] as const)
        this.#add(serverId, answeredAt, `delivery:${rung!}:${result}`);
    }
    if (end) this.#add(serverId, endedAt!, `ended:${end}`);
    if (kind) this.#add(serverId, endedAt!, `cause:${kind}`);
  }

  /** Records that the open tasks of a server were sampled since then. */
  sampled(serverId: string, since: number): void {
    this.#spread(serverId, since, this.#now, "samples");
  }

  async write(client: pg.Client, organizationId: string): Promise<void> {
    const rows = [...this.#amounts].flatMap(([key, amount]) => {
      const [hours, at, server, measure] = JSON.parse(key);
      return Math.round(amount) > 0 ? [{ hours, at, server, measure, amount: Math.round(amount) }] : [];
    });
    await client.query(
      `INSERT INTO statistic AS s (organization_id, hours, at, server_id, measure, amount)
       SELECT $1, x.hours, to_timestamp(x.at / 1000.0), x.server, x.measure, x.amount
       FROM json_to_recordset($2) AS x(hours smallint, at bigint, server uuid, measure text, amount bigint)
       ON CONFLICT (organization_id, hours, at, server_id, measure) DO UPDATE SET amount = s.amount + excluded.amount`,
      [organizationId, JSON.stringify(rows)],
    );
  }

  /** Spreads a lasting state over the samples during it. */
  #spread(serverId: string, from: number, to: number, measure: Measure): void {
    for (const hours of STRETCHES) {
      for (let at = from; at < to; ) {
        const begin = beginOf(new Date(at), hours).getTime();
        const end = Math.min(to, begin + hours * HOUR);
        this.#put(serverId, begin, hours, measure, (end - at) / SAMPLE_MS);
        at = end;
      }
    }
  }

  #add(serverId: string, at: number, measure: Measure): void {
    for (const hours of STRETCHES)
      this.#put(serverId, beginOf(new Date(at), hours).getTime(), hours, measure, 1);
  }

  #put(serverId: string, at: number, hours: Stretch, measure: Measure, amount: number): void {
    if (hours === 1 && at < this.#now - HOURS_KEPT_MS) return;
    const key = JSON.stringify([hours, at, serverId, measure]);
    this.#amounts.set(key, (this.#amounts.get(key) ?? 0) + amount);
  }
}

const BATCH = 2_000;
const DAY = 86_400_000;
const DAYS = 30;
/** The shares of all tasks that are working now, and that wait for a person now. */
const WORKING = 0.0012;
const WAITING = 0.0008;

/**
 * Writes through the given connection of the database's owner. The tasks have no row in `task_watch`, by
 * which the engine reads tasks, so the engine keeps nothing in memory for them and calls no server. The
 * figures are written as if it had counted them.
 */
export async function fillTasks(
  client: pg.Client,
  organizationId: string,
  {
    tasks,
    seal,
    rule,
    onProgress,
  }: {
    tasks: number;
    seal: Seal;
    /** A rule in shadow, which said something of some of them. */
    rule: SeededRule | null;
    onProgress: (written: number) => void;
  },
): Promise<void> {
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organizationId]);
  const now = Date.now();
  const life = {
    now,
    members: await membersOf(client, organizationId),
    places: await makeServers(client, organizationId, undefined, "ok"),
    seal: (row: string) =>
      seal.seal({ organizationId, table: "task", row, column: "sealed_handle" }, "seeded"),
  };
  const figures = new Figures(now);
  const stuck = stuckRows(life);
  const lives = livesOf(tasks - stuck.length, now);
  for (let done = 0; done < lives.length; done += BATCH) {
    const rows = lives.slice(done, done + BATCH).map((one, n) => taskRowsOf(done + n, { ...life, ...one }));
    for (const { task, figures: counted } of rows) figures.count(task.server_id, counted);
    await insertRows(client, organizationId, rows);
    if (rule) await insertDecisions(client, organizationId, rule, rows);
    onProgress(done + rows.length);
  }
  await insertRows(client, organizationId, stuck);
  for (const { serverId } of life.places.values()) figures.sampled(serverId, now - DAYS * DAY);
  await figures.write(client, organizationId);
  await writeCalls(client, organizationId, life.places);
}

/** The start and the state of each task, oldest first, the usual order on disk. */
function livesOf(count: number, now: number): Pick<Life, "kind" | "createdAt">[] {
  const waiting = Math.ceil(count * WAITING);
  const working = Math.ceil(count * WORKING);
  const random = randomFor("lives");
  const times: number[] = [];
  while (times.length < count - waiting - working) {
    const at = now - 120_000 - random() * DAYS * DAY;
    if (random() < busyness(new Date(at))) times.push(at);
  }
  return [
    ...times.sort((a, b) => a - b).map((createdAt) => ({ kind: "ended" as const, createdAt })),
    ...Array.from({ length: waiting }, () => ({ kind: "waiting" as const, createdAt: now })),
    ...Array.from({ length: working }, () => ({ kind: "working" as const, createdAt: now })),
  ];
}

/** The rate of starts at a time, from 0 to 1: highest by day and on workdays. */
function busyness(at: Date): number {
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60;
  const day = 0.15 + 0.85 * Math.exp(-(((hour - 13) / 4.5) ** 2));
  return at.getUTCDay() % 6 === 0 ? day * 0.35 : day;
}
