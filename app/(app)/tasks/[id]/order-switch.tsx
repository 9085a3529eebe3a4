import { ArrowDownWideNarrow, ArrowUpNarrowWide } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import type { TaskEventQuery } from "@/lib/tasks/schema.ts";

type Order = TaskEventQuery["order"];

/** Switches a list by time between newest and oldest first. */
export function OrderSwitch({ order, onChange }: { order: Order; onChange: (order: Order) => void }) {
  const newest = order === "newest";
  const Icon = newest ? ArrowDownWideNarrow : ArrowUpNarrowWide;
  return (
    <Button
      size="sm"
      variant="ghost"
      className="-mr-2.5 w-fit self-end"
      onClick={() => onChange(newest ? "oldest" : "newest")}
    >
      <Icon aria-hidden strokeWidth={1.75} />
      {newest ? "Newest first" : "Oldest first"}
    </Button>
  );
}
