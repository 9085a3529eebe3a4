import { Unplug } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";

/** There is no such request for this person. */
export function RequestMissing({ onBack }: { onBack: () => void }) {
  return (
    <div className="m-auto">
      <Empty
        icon={Unplug}
        title="This request is not here"
        action={<Button onClick={onBack}>Back to the inbox</Button>}
      >
        The link may be old, or it belongs to an organization that you are not in.
      </Empty>
    </div>
  );
}
