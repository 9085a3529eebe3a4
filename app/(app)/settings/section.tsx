import { type ReactNode, useId } from "react";

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
