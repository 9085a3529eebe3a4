"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";

/**
 * The key of a shortcut. Hidden without a keyboard, and from screen readers, which announce shortcuts
 * elsewhere. Hides single keys if the user switched them off, unless `always`.
 */
export function Kbd({
  children,
  className,
  always = false,
}: {
  children: string;
  className?: string;
  always?: boolean;
}) {
  const { singleKeys } = useMe().preferences;
  if (!singleKeys && !always && children.length === 1) return null;
  return (
    <kbd
      aria-hidden
      className={cn(
        "inline-grid h-5 min-w-5 place-items-center rounded border border-current/25 px-1 font-sans text-[11px] font-medium",
        !always && "max-md:hidden",
        className,
      )}
    >
      {children}
    </kbd>
  );
}
