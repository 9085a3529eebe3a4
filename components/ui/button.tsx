import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn.ts";

export const buttonStyle = cva(
  "inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium transition-colors duration-100 disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "bg-accent text-accent-ink hover:bg-accent/90",
        outline: "border border-line bg-panel hover:bg-sunken",
        danger: "border border-line bg-panel text-bad hover:bg-bad-soft",
        destructive: "bg-bad text-accent-ink hover:bg-bad/90",
        ghost: "text-muted hover:bg-sunken hover:text-ink",
        link: "h-auto rounded-sm px-0 text-accent underline-offset-4 hover:underline",
      },
      size: {
        md: "h-9 px-3.5 max-md:h-11",
        sm: "h-7 px-2.5 text-[13px] max-md:h-11",
        icon: "size-8 max-md:size-11",
      },
    },
    defaultVariants: { variant: "outline", size: "md" },
  },
);

export function Button({
  className,
  variant,
  size,
  asChild,
  ...props
}: ComponentProps<"button"> & VariantProps<typeof buttonStyle> & { asChild?: boolean }) {
  const Element = asChild ? Slot.Root : "button";
  return (
    <Element
      {...(asChild ? {} : { type: "button" as const })}
      className={cn(buttonStyle({ variant, size }), className)}
      {...props}
    />
  );
}
