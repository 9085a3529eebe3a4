import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";

/** A horizontally scrolling region. Focusable, so that the keyboard can scroll it. */
export function ScrollX({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className={cn("relative overflow-x-auto rounded-lg border border-line bg-panel", className)}
    >
      {children}
    </section>
  );
}
