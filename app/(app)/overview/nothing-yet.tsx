import type { ReactNode } from "react";

/** In the place of a chart that has nothing to show. */
export function NothingYet({ children }: { children: ReactNode }) {
  return <p className="py-4 text-muted">{children}</p>;
}
