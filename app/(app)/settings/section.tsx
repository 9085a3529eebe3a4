import { type ReactNode, useId } from "react";
import { cn } from "@/components/ui/cn.ts";

/** A section of a settings page, under its heading. */
export function Section({
  title,
  description,
  action,
  children,
}: {
  title: string;
  description?: string;
  /** Shown beside the heading. */
  action?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col gap-4 rounded-lg border border-line bg-panel p-4 md:p-5"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex min-w-60 flex-1 flex-col gap-1">
          <h2 id={id} className="font-semibold text-[15px] tracking-tight">
            {title}
          </h2>
          {description && <p className="text-[13px] text-muted">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

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
