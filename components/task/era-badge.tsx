import { Badge } from "@/components/ui/badge.tsx";

/** The protocol generation, which explains why two servers behave differently. */
export function EraBadge({ era }: { era: string | null }) {
  return era ? (
    <Badge title="The protocol generation this server speaks" className="font-normal">
      {era}
    </Badge>
  ) : null;
}
