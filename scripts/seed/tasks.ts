/** Fills a task monitor: a month of tasks on several servers, most of them ended, and three stuck. */
import type pg from "pg";
import type { Seal } from "../../lib/base/seal.ts";
import { randomFor } from "../../test/chaos/random.ts";
import { insertDecisions, type SeededRule } from "./automatic.ts";
import { Figures } from "./figures.ts";
import { membersOf } from "./fill.ts";
import { insertRows } from "./insert.ts";
import { makeServers, writeCalls } from "./servers.ts";
import { stuckRows } from "./stuck.ts";
import { type Life, taskRowsOf } from "./task-rows.ts";

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
