import type { ReactNode } from "react";

/** A heading with a line on what it does, and what belongs to it. */
export function Section({
  id,
  title,
  description,
  children,
}: {
  id: string;
  title: string;
  description: string;
  children: ReactNode;
}) {
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 id={id} className="font-semibold text-[15px] tracking-tight">
          {title}
        </h2>
        <p className="text-muted">{description}</p>
      </div>
      {children}
    </section>
  );
}
