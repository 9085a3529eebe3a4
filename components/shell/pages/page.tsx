import type { ReactNode } from "react";
import { UserMenu } from "@/components/shell/user-menu.tsx";
import { cn } from "@/components/ui/cn.ts";

/** A page that scrolls as a whole, with its title and actions in the first line. */
export function Page({
  title,
  back,
  actions,
  narrow = false,
  children,
}: {
  title: ReactNode;
  /** The way back, before the title. */
  back?: ReactNode;
  actions?: ReactNode;
  /** Limits the width for reading, for forms and details. */
  narrow?: boolean;
  children: ReactNode;
}) {
  return (
    <div data-scroller className="scroll-quiet flex-1">
      <div
        className={cn("flex flex-col gap-4 px-4 py-4 md:px-6", narrow ? "max-w-[1120px]" : "max-w-[1600px]")}
      >
        <div className="flex min-h-9 items-center gap-3">
          {back}
          <h1 className="min-w-0 flex-1 truncate font-semibold text-[17px] tracking-tight">{title}</h1>
          {actions}
          <span className="md:hidden">
            <UserMenu />
          </span>
        </div>
        {children}
      </div>
    </div>
  );
}
