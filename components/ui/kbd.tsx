import { cn } from "@/components/ui/cn.ts";

/** The key of a shortcut. Hidden where there is no keyboard, and from screen readers, which announce it elsewhere. */
export function Kbd({ children, className }: { children: string; className?: string }) {
  return (
    <kbd
      aria-hidden
      className={cn(
        "inline-grid h-5 min-w-5 place-items-center rounded border border-current/25 px-1 font-sans text-[11px] font-medium opacity-80 max-md:hidden",
        className,
      )}
    >
      {children}
    </kbd>
  );
}
