import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn.ts";
import type { Tone } from "@/lib/text/labels.ts";

const BASE =
  "inline-flex max-w-full items-center gap-1.5 whitespace-nowrap rounded-md px-1.5 py-0.5 text-xs base:font-medium [&_svg]:size-3.5 [&_svg]:shrink-0";
const TONES: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  wait: "bg-wait-soft text-wait",
  bad: "bg-bad-soft text-bad",
  good: "bg-good-soft text-good",
};

/** A state as a word and an icon: colour alone never conveys state. */
export function Badge({
  tone = "neutral",
  icon: Icon,
  className,
  children,
  ...props
}: ComponentProps<"span"> & { tone?: Tone; icon?: LucideIcon }) {
  return (
    <span className={cn(BASE, TONES[tone], className)} {...props}>
      {Icon && <Icon aria-hidden strokeWidth={1.75} />}
      <span className="truncate">{children}</span>
    </span>
  );
}

/** A number at the corner of an icon; nothing for 0. The parent is positioned. */
export function CountBadge({ count, of }: { count: number; of: string }) {
  if (count === 0) return null;
  return (
    <span className="absolute -top-1.5 left-3.5 whitespace-nowrap rounded-full bg-wait-soft px-1 font-medium text-[11px] text-wait leading-4">
      {count > 99 ? "99+" : count}
      <span className="sr-only"> {of}</span>
    </span>
  );
}
