import type { ReactNode } from "react";

/** One matter of a settings page, under its heading. */
export function Section({
  title,
  description,
  children,
}: {
  title: string;
  description?: string;
  children: ReactNode;
}) {
  return (
    <section className="flex flex-col gap-4 rounded-lg border border-line bg-panel p-4 md:p-5">
      <div className="flex flex-col gap-1">
        <h2 className="font-semibold text-[15px] tracking-tight">{title}</h2>
        {description && <p className="text-[13px] text-muted">{description}</p>}
      </div>
      {children}
    </section>
  );
}
