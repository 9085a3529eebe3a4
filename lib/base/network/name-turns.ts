/**
 * Who may look up a name next. A lookup holds one of the process's few threads until the name's servers answer. They may be a
 * stranger's that never do, and a stranger has as many names below a domain as they like. So domains take turns, and those that are
 * slow, or that nobody has asked for yet, leave places free for domains that answered. Pure.
 */

/** A domain one of whose names took longer counts as slow. */
const SLOW_MS = 2_000;
/** For so long it is known of a domain how fast it was. */
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 20_000;

/** Of domains, in the order of their turns. */
const KINDS = ["fast", "new", "slow"] as const;
type Kind = (typeof KINDS)[number];

type LookUp = (done: () => void) => void;

export class NameTurns {
  /** The most lookups at once. */
  readonly #most: number;
  /** Lookups under way, by the kind that their domain had when they began. */
  readonly #counts: Record<Kind, number> = { fast: 0, new: 0, slow: 0 };
  /** When each domain's lookups under way began, oldest first. */
  readonly #running = new Map<string, number[]>();
  /** What waits, by the domain's kind and by domain, in the order of turns. */
  readonly #waiting: Record<Kind, Map<string, LookUp[]>> = {
    fast: new Map(),
    new: new Map(),
    slow: new Map(),
  };
  /** What is known of domains, oldest first. */
  readonly #seen = new Map<string, { isSlow: boolean; at: number }>();

  /** `most`: as many lookups as the process has threads for. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `lookUp` in its turn; it calls `done` once it has ended. */
  add(name: string, lookUp: LookUp): void {
    const domain = domainOf(name);
    const kind = this.#waitsAs(domain);
    if (kind) this.#waiting[kind].get(domain)?.push(lookUp);
    else this.#waiting[this.#kindOf(domain)].set(domain, [lookUp]);
    this.#beginNext();
  }

  /** The kind by which a domain waits; undefined: nothing of it waits. */
  #waitsAs(domain: string): Kind | undefined {
    return KINDS.find((kind) => this.#waiting[kind].has(domain));
  }

  /** Has a domain wait by its kind of now. */
  #sort(domain: string): void {
    const before = this.#waitsAs(domain);
    const own = before && this.#waiting[before].get(domain);
    const kind = this.#kindOf(domain);
    if (!own || before === kind) return;
    this.#waiting[before].delete(domain);
    this.#waiting[kind].set(domain, own);
  }

  #beginNext(): void {
    for (const kind of KINDS)
      for (const [domain, own] of this.#waiting[kind]) {
        if (!this.#hasPlace(kind)) break;
        if (!this.#hasShare(domain)) continue;
        if (kind !== "slow" && this.#kindOf(domain) === "slow") {
          this.#sort(domain);
          continue;
        }
        this.#waiting[kind].delete(domain);
        // A domain with more to look up goes to the back, where this loop finds it again.
        if (own.length > 1) this.#waiting[kind].set(domain, own);
        const next = own.shift();
        if (next) this.#begin(kind, domain, next);
      }
  }

  /** A quarter of the places is left to fast domains. Slow ones have another. */
  #hasPlace(kind: Kind): boolean {
    const { fast, slow, ...counts } = this.#counts;
    const others = counts.new + slow;
    if (fast + others >= this.#most) return false;
    return kind === "fast" || (others < this.#share(6) && (kind === "new" || slow < this.#share(2)));
  }

  /** One domain has an eighth of the places: also a fast one may choose to answer no more. */
  #hasShare(domain: string): boolean {
    return (this.#running.get(domain)?.length ?? 0) < this.#share(1);
  }

  #share(eighths: number): number {
    return Math.max(1, Math.floor((this.#most * eighths) / 8));
  }

  #begin(kind: Kind, domain: string, lookUp: LookUp): void {
    const began = performance.now();
    const running = this.#running.get(domain) ?? [];
    this.#running.set(domain, running);
    running.push(began);
    this.#counts[kind]++;
    lookUp(() => {
      this.#counts[kind]--;
      this.#remember(domain, performance.now() - began > SLOW_MS);
      running.splice(running.indexOf(began), 1);
      if (running.length === 0) this.#running.delete(domain);
      this.#sort(domain);
      this.#beginNext();
    });
  }

  #kindOf(domain: string): Kind {
    const now = performance.now();
    const [oldest] = this.#running.get(domain) ?? [];
    if (oldest !== undefined && now - oldest > SLOW_MS) return "slow";
    const seen = this.#seen.get(domain);
    if (!seen || now - seen.at > REMEMBERED_MS) return "new";
    return seen.isSlow ? "slow" : "fast";
  }

  /** A slow domain that answers at once stays slow for a while: its servers may choose when they answer. */
  #remember(domain: string, isSlow: boolean): void {
    if (!isSlow && this.#kindOf(domain) === "slow") return;
    this.#seen.delete(domain);
    this.#seen.set(domain, { isSlow, at: performance.now() });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** Below these, a country's registry sells names: `co.uk`. */
const SOLD_BELOW = new Set(["ac", "co", "com", "edu", "gov", "net", "org"]);

/** The part of a name that somebody has to buy, by a rule of thumb: domains below a suffix that it does not know share their turns. */
export function domainOf(name: string): string {
  const labels = name.toLowerCase().replace(/\.$/, "").split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const isBelow = top.length === 2 && SOLD_BELOW.has(second);
  return labels.slice(isBelow ? -3 : -2).join(".");
}
