import { Badge } from "@/components/ui/badge.tsx";
import { REQUEST_LABELS, REQUEST_TONES } from "@/lib/format/requests/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { REQUEST_ICONS } from "./request-states.ts";

/** How a request that is no longer open ended. */
export function EndState({ request: { state } }: { request: InputRequestDetail }) {
  return (
    <Badge tone={REQUEST_TONES[state]} icon={REQUEST_ICONS[state]}>
      {REQUEST_LABELS[state]}
    </Badge>
  );
}
