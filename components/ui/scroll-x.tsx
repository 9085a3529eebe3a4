import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";

/** Something that may be wider than its place. It takes the focus so that it can be scrolled with the keyboard. */
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
