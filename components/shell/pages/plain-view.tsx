import type { ReactNode } from "react";

/**
 * A page with one sentence and one action. Bundled with every page and plain markup only, so that it renders
 * when other chunks cannot be loaded.
 */
export function PlainView({
  icon,
  title,
  action,
  children,
}: {
  /** SVG paths of a lucide icon. */
  icon: string[];
  title: string;
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="grid flex-1 place-items-center">
      <div className="flex flex-col items-center gap-3 px-6 py-14 text-center">
        <svg
          aria-hidden
          viewBox="0 0 24 24"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          className="size-7 text-faint"
        >
          {icon.map((path) => (
            <path key={path} d={path} />
          ))}
        </svg>
        <div className="flex max-w-sm flex-col gap-1">
          <h1 className="font-medium">{title}</h1>
          <p className="text-[13px] text-muted">{children}</p>
        </div>
        {action}
      </div>
    </div>
  );
}
