import { AlertTriangle, CheckCircle2, Info, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";
import type { Tone } from "@/lib/text/labels.ts";

const ICONS: Record<Tone, LucideIcon> = {
  neutral: Info,
  accent: Info,
  wait: AlertTriangle,
  bad: AlertTriangle,
  good: CheckCircle2,
};

const STYLES: Record<Tone, string> = {
  neutral: "border-line bg-sunken [&>svg]:text-muted",
  accent: "border-accent/30 bg-accent-soft [&>svg]:text-accent",
  wait: "border-wait/30 bg-wait-soft [&>svg]:text-wait",
  bad: "border-bad/30 bg-bad-soft [&>svg]:text-bad",
  good: "border-good/30 bg-good-soft [&>svg]:text-good",
};

/** Scrolls what happens within a dialog clear of its buttons, which stay at the bottom. */
function bringIntoView(notice: HTMLDivElement | null): void {
  if (notice?.closest('[role="dialog"], [role="alertdialog"]')) notice.scrollIntoView({ block: "nearest" });
}

/** A sentence or two in the page's flow: an event and the next step. A sentence with elements in it needs a `<p>`, as children are stacked. */
export function Notice({
  tone = "neutral",
  title,
  children,
  action,
  live = false,
}: {
  tone?: Tone;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Announced when it appears, for events that happen while the page is open. */
  live?: boolean;
}) {
  const Icon = ICONS[tone];
  return (
    <div
      ref={live ? bringIntoView : undefined}
      role={live ? "alert" : undefined}
      className={cn("appear scroll-mb-20 flex gap-3 rounded-lg border px-3.5 py-3", STYLES[tone])}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" strokeWidth={1.75} />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <p className="font-medium">{title}</p>
        {children && <div className="flex flex-col gap-1.5 text-[13px]">{children}</div>}
        {action && <div className="pt-1">{action}</div>}
      </div>
    </div>
  );
}
