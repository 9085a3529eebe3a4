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

/** The class names of the only button of a plain page (see PlainView). */
export const PLAIN_BUTTON =
  "inline-flex h-9 items-center justify-center rounded-lg bg-accent px-3.5 font-medium text-accent-ink transition-colors duration-100 hover:bg-accent/90 max-md:h-11";

const MAP_PIN_OFF = [
  "M12.75 7.09a3 3 0 0 1 2.16 2.16",
  "M17.072 17.072c-1.634 2.17-3.527 3.912-4.471 4.727a1 1 0 0 1-1.202 0C9.539 20.193 4 14.993 4 10a8 8 0 0 1 1.432-4.568",
  "m2 2 20 20",
  "M8.475 2.818A8 8 0 0 1 20 10c0 1.183-.31 2.377-.81 3.533",
  "M9.13 9.13a3 3 0 0 0 3.74 3.74",
];

export function NotFoundView() {
  return (
    <PlainView
      icon={MAP_PIN_OFF}
      title="There is nothing here"
      action={
        <a href="/" className={PLAIN_BUTTON}>
          Go to Intray
        </a>
      }
    >
      The address may be mistyped, or it belongs to another organization.
    </PlainView>
  );
}

/** The id under which a page's error stands in the log. */
export function ErrorId({ id }: { id: string }) {
  return (
    <span className="mt-2 block">
      Error ID: <code className="select-all font-mono text-ink">{id}</code>. Quote it if you ask for help.
    </span>
  );
}
