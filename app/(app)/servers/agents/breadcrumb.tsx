import { ChevronRight } from "lucide-react";
import { Fragment } from "react";
import { Link } from "@/components/ui/link.tsx";

/** The way back, and the page's own name. */
export function Breadcrumb({ above, name }: { above: { href: string; label: string }[]; name: string }) {
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-1.5 text-[13px] text-muted">
      {above.map(({ href, label }) => (
        <Fragment key={href}>
          <Link href={href} className="hover:text-ink hover:underline max-md:-mx-3 max-md:-my-3 max-md:p-3">
            {label}
          </Link>
          <ChevronRight aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
        </Fragment>
      ))}
      <span className="truncate">{name}</span>
    </nav>
  );
}
