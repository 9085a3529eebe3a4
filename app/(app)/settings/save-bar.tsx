import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";

/** The buttons of a section that is saved as a whole. They stay in view while something is to be saved, with what is `above` them. */
export function SaveBar({
  isChanged,
  above,
  children,
}: {
  isChanged: boolean;
  above?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div
      data-save-bar={isChanged || undefined}
      className={cn(
        "-mx-4 flex flex-col gap-3 border-line border-t bg-panel px-4 py-3 md:-mx-5 md:px-5",
        isChanged ? "sticky bottom-0 z-10 shadow-pop" : "relative",
      )}
    >
      {above}
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <p role="status" className="text-[13px] text-muted max-md:sr-only">
          {isChanged && "Not saved yet"}
        </p>
      </div>
    </div>
  );
}
