import { Check as Tick, TriangleAlert } from "lucide-react";
import { cn } from "@/components/ui/cn.ts";
import type { Check } from "@/lib/text/facts/amount-checks.ts";

/** The result of a check of a figure, as icon and words. */
export function CheckMark({ check, className }: { check: Check; className?: string }) {
  const Icon = check.ok ? Tick : TriangleAlert;
  return (
    <span
      className={cn(
        "inline-flex items-start gap-1.5 whitespace-normal text-left font-medium text-xs leading-4",
        check.ok ? "text-good" : "rounded-md bg-bad-soft px-1.5 py-0.5 text-bad",
        className,
      )}
    >
      <Icon aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={2} />
      {check.words}
    </span>
  );
}
