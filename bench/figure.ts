/** A measurement of a part of the bench. */
export interface Figure {
  /** The name in the table; the same words in every run. */
  what: string;
  value: number;
  unit: string;
  /**
   * The target: at most or at least this value. Figures without a goal are for comparison, or for the curve.
   */
  goal?: { atMost: number } | { atLeast: number };
  /** The same work done by others in the same run, by their names, in the same unit. */
  beside?: Record<string, number>;
}

/** Returns whether the goal is met, or null without a goal. */
export function meets({ value, goal }: Figure): boolean | null {
  if (!goal) return null;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

/**
 * Combines the figures of several runs: medians of every value. All runs have the same figures in the same
 * order.
 */
export function medians(runs: Figure[][]): Figure[] {
  const [first = []] = runs;
  return first.map((figure, at) => {
    const same = runs.map((run) => run[at] ?? figure);
    const beside = Object.keys(figure.beside ?? {}).map((name) => [
      name,
      median(same.map((each) => each.beside?.[name] ?? Number.NaN)),
    ]);
    return {
      ...figure,
      value: median(same.map(({ value }) => value)),
      ...(figure.beside ? { beside: Object.fromEntries(beside) } : {}),
    };
  });
}

function median(values: number[]): number {
  return quantile(values, 0.5);
}

/** Returns the least value that at least `part` of the values do not exceed; NaN for no values. */
export function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
