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
