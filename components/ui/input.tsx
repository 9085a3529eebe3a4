import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn.ts";

export const fieldStyle =
  "w-full rounded-lg border base:border-edge bg-panel px-3 placeholder:text-faint focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-ring disabled:opacity-60 aria-invalid:border-bad max-md:text-base";

export function Input({ className, ...props }: ComponentProps<"input">) {
  return <input className={cn(fieldStyle, "h-9 max-md:h-11", className)} {...props} />;
}

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea className={cn(fieldStyle, "base:min-h-16 py-2", className)} {...props} />;
}
