import { TriangleAlert } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";

export const NOT_DURABLE =
  "The server does not run it as a task, so Intray keeps the call open. If that connection ends first, its result is lost.";

/** Marks a call that ends with its connection. The explanation is the title. */
export function NotDurableBadge({ short = false }: { short?: boolean }) {
  return (
    <Badge tone="wait" icon={TriangleAlert} title={NOT_DURABLE}>
      {short ? "Not durable" : "Not durable: this call ends with its connection"}
    </Badge>
  );
}
