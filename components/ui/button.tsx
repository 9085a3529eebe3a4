import { type ComponentProps, cloneElement, type ReactElement } from "react";
import { cn } from "@/components/ui/cn.ts";

const BASE =
  "base:inline-flex base:shrink-0 select-none items-center justify-center base:gap-2 base:whitespace-nowrap base:rounded-lg base:font-medium transition-colors duration-100 disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0";
const VARIANTS = {
  primary: "bg-accent text-accent-ink hover:bg-accent/90",
  outline: "border base:border-line base:bg-panel base:hover:bg-sunken",
  danger: "border border-line bg-panel text-bad hover:bg-bad-soft",
  destructive: "bg-bad text-accent-ink hover:bg-bad/90 aria-disabled:bg-sunken aria-disabled:text-ink",
  ghost: "base:text-muted hover:bg-sunken hover:text-ink",
  link: "rounded-sm text-accent underline-offset-4 hover:underline",
};
const SIZES = {
  md: "base:h-9 base:px-3.5 base:max-md:h-11",
  sm: "base:h-7 base:px-2.5 base:text-[13px] base:max-md:h-11",
  icon: "size-8 max-md:size-11",
};

/** `asChild`: the only child, a link, looks like a button and stays a link. */
export function Button({
  className,
  variant = "outline",
  size = "md",
  asChild,
  children,
  ...props
}: ComponentProps<"button"> & {
  variant?: keyof typeof VARIANTS;
  size?: keyof typeof SIZES;
  asChild?: boolean;
}) {
  const look = cn(BASE, VARIANTS[variant], SIZES[size], className);
  if (asChild)
    return cloneElement(children as ReactElement<ComponentProps<"button">>, { ...props, className: look });
  return (
    <button type="button" className={look} {...props}>
      {children}
    </button>
  );
}
