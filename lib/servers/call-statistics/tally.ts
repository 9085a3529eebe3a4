import { PeerError, SignInNeeded, TokensUnreadable } from "../../mcp/peer-error.ts";
import { bucketOf, type Counted, FAILURE_CLASSES, type FailureClass, LATENCY_BUCKETS } from "./counts.ts";

/** Counts calls in memory until they are written. */
export class Tally {
  #counted = none();

  /** Counts a finished call. `ms` is the server's response time; null if the tool determines the duration. */
  count(ms: number | null, failure: FailureClass | null): void {
    this.#counted.calls++;
    if (failure !== null) add(this.#counted.failures, FAILURE_CLASSES.indexOf(failure), 1);
    else if (ms !== null) add(this.#counted.latency, bucketOf(ms), 1);
  }

  /** Returns and resets the counts, or returns null if there are none. */
  take(): Counted | null {
    if (this.#counted.calls === 0) return null;
    const taken = this.#counted;
    this.#counted = none();
    return taken;
  }

  /** Adds counts back that could not be written. */
  giveBack({ calls, failures, latency }: Counted): void {
    this.#counted.calls += calls;
    for (const [place, count] of failures.entries()) add(this.#counted.failures, place, count);
    for (const [place, count] of latency.entries()) add(this.#counted.latency, place, count);
  }
}

/** Returns a failed call's class; null if the server answered; undefined if no call was made. */
export function failureOf(error: unknown): FailureClass | null | undefined {
  if (!(error instanceof PeerError)) return undefined;
  if (error instanceof SignInNeeded || error instanceof TokensUnreadable) return undefined;
  return CLASS_OF[error.code] ?? null;
}

const CLASS_OF: Partial<Record<PeerError["code"], FailureClass>> = {
  unreachable: "unreachable",
  address_not_allowed: "unreachable",
  timeout: "timeout",
  unauthorized: "unauthorized",
  rate_limited: "rate_limited",
  bad_reply: "bad_reply",
  too_large: "bad_reply",
};

function none(): Counted {
  return {
    calls: 0,
    failures: new Array(FAILURE_CLASSES.length).fill(0),
    latency: new Array(LATENCY_BUCKETS).fill(0),
  };
}

function add(counts: number[], place: number, count: number): void {
  counts[place] = (counts[place] ?? 0) + count;
}
