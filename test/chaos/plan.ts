/** Plans all faults and their times from the seed. */
import { between, pick, randomFor } from "./random.ts";

export type PartKind = "engine" | "web" | "sample" | "postgres" | "client";

/** One blow to the processes. It hits the first of the parts, in this order, that runs. */
export interface Disruption {
  atMs: number;
  /** `outage`: a kill of Intray's database, which stays down for as long as a failover takes. */
  kind: "kill" | "freeze" | "outage";
  parts: string[];
  downMs: number;
  /** A kill waits for the next one, so that it hits what is under way then; null: it does not wait. */
  moment: { name: Moment; lagMs: number } | null;
}

/** An agent makes a call, somebody decides, a program uses an approval. */
export const MOMENTS = ["call", "decision", "use"] as const;
export type Moment = (typeof MOMENTS)[number];

const KILL_EVERY_MS = [3_000, 6_000] as const;
const DOWN_MS = [100, 3_000] as const;
/** The share of kills that wait for a moment, and how soon after it they come. */
const WAIT_FOR_MOMENT = 0.6;
const LAG_MS = [0, 60] as const;
const FREEZE_EVERY_MS = [50_000, 110_000] as const;
const FROZEN_MS = [15_000, 40_000] as const;
const OUTAGE_EVERY_MS = [240_000, 360_000] as const;
const OUTAGE_MS = [20_000, 90_000] as const;
/** Parts hit by 23 kills, drawn without replacement. The first five hit each kind once, so that short runs do too. */
const KILLED: Record<PartKind, number> = { engine: 7, sample: 6, web: 3, postgres: 4, client: 3 };

/**
 * Plans kills, freezes and outages from 0 to `durationMs`, oldest first. `parts`: the names of each kind.
 * `pace` stretches the pauses between kills and freezes, for machines on which a process takes longer to
 * start than it is left alone.
 */
export function planDisruptions(
  seed: number,
  durationMs: number,
  parts: Record<PartKind, string[]>,
  pace = 1,
): Disruption[] {
  const disruptions: Disruption[] = [];
  const kills = randomFor(seed, "kills");
  const kinds = Object.keys(KILLED) as PartKind[];
  const fullBag = kinds.flatMap((kind) => Array<PartKind>(KILLED[kind]).fill(kind));
  let bag = shuffled(kills, kinds);
  for (
    let atMs = pace * between(kills, ...KILL_EVERY_MS);
    atMs < durationMs;
    atMs += pace * between(kills, ...KILL_EVERY_MS)
  ) {
    if (bag.length === 0) bag = shuffled(kills, fullBag);
    const kind = bag.pop() as PartKind;
    const order = [...shuffled(kills, parts[kind]), ...shuffled(kills, Object.values(parts).flat())];
    const name = MOMENTS[Math.floor(kills() * MOMENTS.length)] as Moment;
    const moment = kills() < WAIT_FOR_MOMENT ? { name, lagMs: between(kills, ...LAG_MS) } : null;
    const downMs = between(kills, ...DOWN_MS);
    disruptions.push({ atMs, kind: "kill", parts: [...new Set(order)], downMs, moment });
  }
  const freezes = randomFor(seed, "freezes");
  // The first freeze comes early, so that a short run has one too.
  let atMs = between(freezes, 10_000, 40_000);
  for (; atMs < durationMs; atMs += pace * between(freezes, ...FREEZE_EVERY_MS)) {
    const order = shuffled(freezes, parts.engine);
    const downMs = between(freezes, ...FROZEN_MS);
    if (atMs + downMs < durationMs)
      disruptions.push({ atMs, kind: "freeze", parts: order, downMs, moment: null });
  }
  const outages = randomFor(seed, "outages");
  // The first outage comes early, and takes at most a third of a short run.
  atMs = between(outages, 15_000, 30_000);
  for (; atMs < durationMs; atMs += between(outages, ...OUTAGE_EVERY_MS)) {
    const downMs = Math.min(between(outages, ...OUTAGE_MS), durationMs / 3);
    if (atMs + downMs < durationMs)
      disruptions.push({ atMs, kind: "outage", parts: [DATABASE], downMs, moment: null });
  }
  return disruptions.sort((a, b) => a.atMs - b.atMs);
}

/** The part that is Intray's own database. */
const DATABASE = "postgres";

export const FAULTS = [
  "dropped before",
  "dropped after",
  "cut",
  "misrouted",
  "stalled",
  "duplicated",
  "reordered",
  "refused",
  "shifted",
] as const;
export type FaultKind = (typeof FAULTS)[number];

export type Fault =
  /** The connection is cut before the request was forwarded. */
  | { kind: "dropped before" }
  /** The connection is cut after the request was answered. */
  | { kind: "dropped after"; afterMs: number }
  /** The server has acted, and its reply breaks off in the middle. */
  | { kind: "cut" }
  /** A load balancer without stickiness: a process that does not know the session gets the request. */
  | { kind: "misrouted" }
  /** The request or its reply is delayed, then goes on, even if nobody listens any more, or is dropped. */
  | { kind: "stalled"; what: "request" | "reply"; forMs: number; end: "goes on" | "dropped" }
  /** The server gets the request a second time, a while after it answered the first. */
  | { kind: "duplicated"; afterMs: number }
  /** The reply waits until another connection has brought a newer one. */
  | { kind: "reordered" }
  | { kind: "refused"; status: 429 | 502 | 503; retryAfterS: number | null }
  | null;

/** Kinds of requests, as far as faults need. A `change` must be neither lost nor done twice. */
export type CallKind = "change" | "look" | "stream";

const LIKELY: Record<CallKind, Partial<Record<Exclude<FaultKind, "shifted">, number>>> = {
  change: {
    "dropped before": 0.04,
    "dropped after": 0.07,
    cut: 0.04,
    misrouted: 0.03,
    stalled: 0.06,
    duplicated: 0.1,
    reordered: 0.03,
    refused: 0.04,
  },
  look: {
    "dropped before": 0.01,
    "dropped after": 0.015,
    cut: 0.01,
    misrouted: 0.005,
    stalled: 0.015,
    duplicated: 0.02,
    reordered: 0.03,
    refused: 0.01,
  },
  stream: {
    "dropped before": 0.03,
    "dropped after": 0.1,
    cut: 0.03,
    misrouted: 0.01,
    stalled: 0.05,
    reordered: 0.15,
    refused: 0.02,
  },
};
const LONG_WAIT_S = 20;
const SHIFTED = 0.2;
const HOUR_MS = 3_600_000;

/** Plans the fault of the `nth` request of this method to this server; the same for the same seed. */
export function planFault(
  seed: number,
  server: string,
  method: string,
  nth: number,
  kind: CallKind,
): { fault: Fault; clockMs: number } {
  const random = randomFor(seed, "fault", server, method, nth);
  const clockMs = random() < SHIFTED ? (random() < 0.5 ? HOUR_MS : -HOUR_MS) : 0;
  const fault = pick(random, LIKELY[kind]);
  switch (fault) {
    case "dropped before":
    case "cut":
    case "misrouted":
    case "reordered":
      return { clockMs, fault: { kind: fault } };
    case "dropped after":
      return { clockMs, fault: { kind: fault, afterMs: kind === "stream" ? between(random, 0, 15_000) : 0 } };
    case "stalled": {
      const what = random() < 0.5 ? "request" : "reply";
      const end = random() < 0.6 ? "goes on" : "dropped";
      return { clockMs, fault: { kind: fault, what, forMs: between(random, 1_000, 9_000), end } };
    }
    case "duplicated":
      return { clockMs, fault: { kind: fault, afterMs: between(random, 0, 4_000) } };
    case "refused": {
      const status = ([429, 502, 503] as const)[Math.floor(random() * 3)] ?? 503;
      const asksToWait = status === 429 || (status === 503 && random() < 0.5);
      // Sometimes long enough that answers and questions come meanwhile.
      const retryAfterS = asksToWait ? Math.ceil(random() * (random() < 0.1 ? LONG_WAIT_S : 3)) : null;
      return { clockMs, fault: { kind: fault, status, retryAfterS } };
    }
    default:
      return { clockMs, fault: null };
  }
}

function shuffled<T>(random: () => number, items: T[]): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
