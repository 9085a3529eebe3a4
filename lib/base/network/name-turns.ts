/**
 * Who may look up a name next. A lookup holds one of the process's few threads until the name's servers answer. They may be a
 * stranger's that never do, so names that are slow, or that nobody has asked for yet, leave places free for names that answered. Pure.
 */

/** A name that took longer once counts as slow. */
const SLOW_MS = 2_000;
/** For so long it is known of a name how fast it was. */
const REMEMBERED_MS = 600_000;
const MOST_REMEMBERED = 20_000;

/** In the order of their turns. */
const KINDS = ["fast", "new", "slow"] as const;
type Kind = (typeof KINDS)[number];

interface Waiting {
  name: string;
  lookUp: (done: () => void) => void;
}

export class NameTurns {
  /** The most lookups at once. */
  readonly #most: number;
  readonly #running: Record<Kind, number> = { fast: 0, new: 0, slow: 0 };
  readonly #waiting: Record<Kind, Waiting[]> = { fast: [], new: [], slow: [] };
  /** What is known of names, oldest first. */
  readonly #seen = new Map<string, { isSlow: boolean; at: number }>();

  /** `most`: as many lookups as the process has threads for. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `lookUp` in its turn; it calls `done` once it has ended. */
  add(name: string, lookUp: (done: () => void) => void): void {
    this.#waiting[this.#kindOf(name)].push({ name, lookUp });
    this.#beginNext();
  }

  #beginNext(): void {
    for (const kind of KINDS)
      while (this.#mayBegin(kind)) {
        const next = this.#waiting[kind].shift();
        if (!next) break;
        this.#begin(kind, next);
      }
  }

  /** A quarter of the places is left to fast names. Slow ones have another. */
  #mayBegin(kind: Kind): boolean {
    const { fast, slow, ...running } = this.#running;
    const others = running.new + slow;
    const share = (quarters: number) => Math.max(1, Math.floor((this.#most * quarters) / 4));
    if (fast + others >= this.#most) return false;
    return kind === "fast" || (others < share(3) && (kind === "new" || slow < share(1)));
  }

  #begin(kind: Kind, { name, lookUp }: Waiting): void {
    const began = performance.now();
    this.#running[kind]++;
    lookUp(() => {
      this.#running[kind]--;
      this.#remember(name, performance.now() - began > SLOW_MS);
      this.#beginNext();
    });
  }

  #kindOf(name: string): Kind {
    const seen = this.#seen.get(name);
    if (!seen || performance.now() - seen.at > REMEMBERED_MS) return "new";
    return seen.isSlow ? "slow" : "fast";
  }

  /** A slow name that answers at once stays slow for a while: its servers may choose when they answer. */
  #remember(name: string, isSlow: boolean): void {
    if (!isSlow && this.#kindOf(name) === "slow") return;
    this.#seen.delete(name);
    this.#seen.set(name, { isSlow, at: performance.now() });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}
