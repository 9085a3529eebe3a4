/** Converts rows of statistics to the overview: pure. */
import { percentile } from "./durations.ts";
import {
  DELIVERY_RESULTS,
  FAILURE_KINDS,
  type Measure,
  OPEN_STATES,
  type OpenState,
  RUNGS,
} from "./measures.ts";
import type { Decisions, DeliveryFigures, Overview, ServerFigures, Step } from "./statistics-schema.ts";

export interface FigureRow {
  /** Start of the step; null for sums over the whole range. */
  step: Date | null;
  serverId: string;
  measure: string;
  amount: number;
}

export interface OpenRow {
  serverId: string;
  state: string;
  count: number;
}

export function figuresOf(
  rows: FigureRow[],
  open: OpenRow[],
  servers: { id: string; name: string }[],
  begins: Date[],
  waiting: Omit<Overview["now"], "open">,
): Pick<Overview, "now" | "decisions" | "steps" | "servers" | "deliveries"> {
  const all = new Sums();
  const bySteps = new Map(begins.map((at) => [at.getTime(), new Sums()]));
  const byServers = new Map(servers.map(({ id }) => [id, new Sums()]));
  const sampled = new Map<number, number>();
  for (const { step, serverId, measure, amount } of rows) {
    const at = step?.getTime() ?? 0;
    for (const sums of [all, bySteps.get(at), byServers.get(serverId)]) sums?.add(measure, amount);
    if (measure === "samples") sampled.set(at, Math.max(sampled.get(at) ?? 0, amount));
  }
  return {
    now: { open: openNow(open), ...waiting },
    decisions: decisionsOf(all),
    steps: [...bySteps].map(
      ([at, sums]): Step => ({
        at: new Date(at).toISOString(),
        started: sums.of("started"),
        ended: endedOf(sums),
        open: averageOpen(sums, sampled.get(at) ?? 0),
      }),
    ),
    servers: servers.map((server): ServerFigures => {
      const sums = byServers.get(server.id)!;
      return {
        server,
        open: openNow(open.filter((row) => row.serverId === server.id)),
        started: sums.of("started"),
        ended: endedOf(sums),
        decisions: decisionsOf(sums),
        failureKinds: Object.fromEntries(
          FAILURE_KINDS.flatMap((kind) => {
            const count = sums.of(`cause:${kind}`);
            return count > 0 ? [[kind, count]] : [];
          }),
        ),
      };
    }),
    deliveries: deliveriesOf(all),
  };
}

class Sums {
  #amounts = new Map<string, number>();

  add(measure: string, amount: number): void {
    this.#amounts.set(measure, (this.#amounts.get(measure) ?? 0) + amount);
  }

  of(measure: Measure): number {
    return this.#amounts.get(measure) ?? 0;
  }

  /** Returns the measures with this prefix, by the number that follows. */
  numbered(prefix: string): Map<number, number> {
    const found = [...this.#amounts].filter(([measure]) => measure.startsWith(prefix));
    return new Map(found.map(([measure, amount]) => [Number(measure.slice(prefix.length)), amount]));
  }
}

/** Averages over the samples. A server added in the middle of a step counts for its share. */
function averageOpen(sums: Sums, counted: number): Step["open"] {
  if (counted === 0) return null;
  const average = noneOpen();
  for (const state of OPEN_STATES) average[state] = sums.of(`open:${state}`) / counted;
  return average;
}

function openNow(rows: OpenRow[]): Record<OpenState, number> {
  const counts = noneOpen();
  for (const { state, count } of rows) counts[state as OpenState] += count;
  return counts;
}

function noneOpen(): Record<OpenState, number> {
  return { queued: 0, starting: 0, start_unknown: 0, working: 0, input_required: 0 };
}

function endedOf(sums: Sums): Step["ended"] {
  return {
    completed: sums.of("ended:completed"),
    failed: sums.of("ended:failed"),
    cancelled: sums.of("ended:cancelled"),
    lost: sums.of("ended:lost"),
    expired: sums.of("ended:expired"),
  };
}

function decisionsOf(sums: Sums): Decisions {
  const counts = sums.numbered("decided:");
  const count = [...counts.values()].reduce((total, amount) => total + amount, 0);
  return { count, p50Ms: percentile(counts, 0.5), p90Ms: percentile(counts, 0.9) };
}

/** Omits delivery methods without any count. */
function deliveriesOf(sums: Sums): DeliveryFigures[] {
  return RUNGS.flatMap((rung) => {
    const results = Object.fromEntries(
      DELIVERY_RESULTS.map((result) => [result, sums.of(`delivery:${rung}:${result}`)]),
    ) as Omit<DeliveryFigures, "rung">;
    return Object.values(results).some((amount) => amount > 0) ? [{ rung, ...results }] : [];
  });
}
