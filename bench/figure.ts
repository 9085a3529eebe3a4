/** What a part of the bench has measured. */
export interface Figure {
  /** What was measured, as the table shows it; the same words at every run. */
  what: string;
  value: number;
  unit: string;
  /** What is aimed at: so much at most, or at least. Figures without a goal are for comparison, or for the curve. */
  goal?: { atMost: number } | { atLeast: number };
  /** The same work done by others in the same run, by their names, in the same unit. */
  beside?: Record<string, number>;
}

/** Null: there is no goal. */
export function meets({ value, goal }: Figure): boolean | null {
  if (!goal) return null;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

/** The figures of several runs as one: medians of every value. The runs have the same figures in the same order. */
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

/** The least value that so large a part of them does not exceed; NaN of none. */
export function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
