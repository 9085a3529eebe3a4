import type { ReactNode } from "react";

/** Replaces a chart without data. */
export function NothingYet({ children }: { children: ReactNode }) {
  return <p className="py-4 text-muted">{children}</p>;
}
