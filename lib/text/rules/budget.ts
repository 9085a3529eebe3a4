/**
 * Counts what the evaluation of an expression does. The CEL library bounds how an expression is written, not how long it
 * runs: `a.all(x, a.all(y, …))` over a caller's own list, or `contains` of two long texts, would hold a process for minutes.
 */

/** Steps that one judgement may take, whatever the number of its expressions: some milliseconds. */
const STEPS = 100_000;
/** Characters that are compared or copied in about the time of one step. */
const CHARACTERS_A_STEP = 64;

/** Made once: swallowed errors are thrown at each turn of a loop, and a stack costs more than the turn. */
const TOO_MUCH_WORK = new Error("The expression takes too many steps.");

/** The steps that are left to one judgement. */
export class Budget {
  private left: number;

  constructor(steps: number = STEPS) {
    this.left = steps;
  }

  get isSpent(): boolean {
    return this.left < 0;
  }

  /** Throws once nothing is left. CEL swallows errors (`false && error`), so the caller looks at `isSpent` as well. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw TOO_MUCH_WORK;
  }

  /** Spends what looking at a whole value costs, piece by piece, so that it ends within a large one. */
  spendOn(value: unknown): void {
    this.spend(weightOf(value));
    if (typeof value !== "object" || value === null) return;
    // A list or object that JSON can't hold, as a time: its weight is all.
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return;
    for (const inner of Object.values(value)) this.spendOn(inner);
  }
}

/** What a value costs without what is in it. */
export function weightOf(value: unknown): number {
  return typeof value === "string" ? 1 + Math.ceil(value.length / CHARACTERS_A_STEP) : 1;
}
