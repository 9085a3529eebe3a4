import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** One line and the next action, for an empty list or page. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
  heading: Title = "p",
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** `h1` where the page shows nothing else. */
  heading?: "h1" | "p";
}) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-14 text-center">
      <Icon aria-hidden className="size-7 text-faint" strokeWidth={1.5} />
      <div className="flex max-w-sm flex-col gap-1">
        <Title className="font-medium">{title}</Title>
        {children && <p className="text-[13px] text-muted">{children}</p>}
      </div>
      {action}
    </div>
  );
}
