import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn.ts";
import { fieldStyle } from "@/components/ui/input.tsx";

/** The browser's native select, which works on every phone and with every screen reader. */
export function Select({ className, children, ...props }: ComponentProps<"select">) {
  return (
    <span className={cn("relative inline-flex base:w-full", className)}>
      <select className={cn(fieldStyle, "h-9 appearance-none pr-8 max-md:h-11")} {...props}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        strokeWidth={1.75}
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
