"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";

/** A button over a list: shows the number of unseen new rows and scrolls to them. */
export function NewRows({
  count,
  at,
  onClick,
  className,
}: {
  count: number;
  /** The end of the list at which the new rows are. */
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
