"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";

/** Over a list: how many rows came in that are not seen, and the way to them. */
export function NewRows({
  count,
  at,
  onClick,
  className,
}: {
  count: number;
  /** Where in the list they are. */
  at: "top" | "end";
  onClick: () => void;
  className: string;
}) {
  const Arrow = at === "top" ? ArrowUp : ArrowDown;
  return (
    <Button
      size="sm"
      variant="primary"
      className={cn("appear absolute left-1/2 -translate-x-1/2 rounded-full shadow-pop", className)}
      onClick={onClick}
    >
      <Arrow aria-hidden strokeWidth={1.75} />
      {count} new
    </Button>
  );
}
