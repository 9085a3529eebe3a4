import type { ReactNode, Ref } from "react";
import { cn } from "@/components/ui/cn.ts";

/** A horizontally scrolling region. Focusable, so that the keyboard can scroll it. */
export function ScrollX({
  label,
  className,
  ref,
  children,
}: {
  label: string;
  className?: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}) {
  return (
    <section
      ref={ref}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className={cn("relative overflow-x-auto rounded-lg border border-line bg-panel", className)}
    >
      {children}
    </section>
  );
}
