import { TriangleAlert } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";

export const NOT_DURABLE =
  "The server makes no task of it: Intray holds the call open. If that connection ends first, nobody can know what came of it.";

/** A call that ends with its connection; with the explanation on hover, and for who listens. */
export function NotDurableBadge({ short = false }: { short?: boolean }) {
  return (
    <Badge tone="wait" icon={TriangleAlert} title={NOT_DURABLE}>
      {short ? "Not durable" : "Not durable: this call ends with its connection"}
    </Badge>
  );
}
