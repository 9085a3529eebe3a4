import { type Figure, meets } from "./figure.ts";

/**
 * Returns figures as lines of text: name, value, goal, whether it is met, and the others' figures with the
 * ratio.
 */
export function table(figures: Figure[]): string {
  const rows = figures.map((figure) => {
    const met = meets(figure);
    return [
      figure.what,
      `${number(figure.value)} ${figure.unit}`,
      goalOf(figure),
      met === null ? "" : met ? "met" : "MISSED",
      Object.entries(figure.beside ?? {})
        .map(([name, other]) => `${name} ${number(other)} (${number(other / figure.value)}×)`)
        .join(", "),
    ];
  });
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function goalOf({ goal, unit }: Figure): string {
  if (!goal) return "";
  return "atMost" in goal ? `≤ ${number(goal.atMost)} ${unit}` : `≥ ${number(goal.atLeast)} ${unit}`;
}

/** Rounds to three significant digits. */
function number(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = Number(value.toPrecision(3));
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(rounded);
}
