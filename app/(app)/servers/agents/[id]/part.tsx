import { type ReactNode, useId } from "react";

/** A part of the page, under its heading. */
export function Part({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id={id} className="font-medium text-[13px] text-muted">
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  );
}
