/** The colour and texture of a chart series, so that series are distinguishable without colour too. */
import type { CSSProperties } from "react";

export const FILLS = {
  solid: { background: "var(--accent)", borderColor: "var(--accent)" },
  striped: {
    background: "repeating-linear-gradient(135deg, var(--wait) 0 2px, var(--wait-soft) 2px 5px)",
    borderColor: "var(--wait)",
  },
  dotted: {
    background: "radial-gradient(circle, var(--bad) 1.3px, transparent 1.6px) 0 0 / 4px 4px, var(--bad-soft)",
    borderColor: "var(--bad)",
  },
  hollow: { background: "var(--panel)", borderColor: "var(--muted)" },
} as const satisfies Record<string, CSSProperties>;
export type Fill = keyof typeof FILLS;
