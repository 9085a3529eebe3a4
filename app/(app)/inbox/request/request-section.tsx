"use client";

import { ChevronDown } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { cn } from "@/components/ui/cn.ts";

/** A section beside the question. On a phone it follows the form, folded. */
export function RequestSection({ title, children }: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2.5">
      <h3 id={id} className="font-medium text-[13px] text-muted">
        <span className="max-md:hidden">{title}</span>
        <button
          type="button"
          aria-expanded={open}
          className="flex min-h-11 w-full items-center justify-between border-line border-t md:hidden"
          onClick={() => setOpen(!open)}
        >
          {title}
          <ChevronDown aria-hidden className={cn("size-4", open && "rotate-180")} strokeWidth={1.75} />
        </button>
      </h3>
      <div className={cn("flex min-w-0 flex-col gap-2.5", !open && "max-md:hidden")}>{children}</div>
    </section>
  );
}
