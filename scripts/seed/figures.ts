/** Adds up the overview's figures for seeded tasks, as the engine would have while they ran. */
import type pg from "pg";
import { classOf } from "../../lib/statistics/durations.ts";
import { beginOf, type Measure, STRETCHES, type Stretch } from "../../lib/statistics/measures.ts";
import type { TaskRows } from "./task-rows.ts";

const HOUR = 3600_000;
/** How often open tasks are counted. */
const SAMPLE_MS = 300_000;
/** How long figures by the hour are kept. */
const HOURS_KEPT_MS = 3 * 24 * HOUR;

export class Figures {
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
