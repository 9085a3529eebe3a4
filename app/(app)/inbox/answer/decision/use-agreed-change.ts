import { useState } from "react";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { agreedChange } from "@/lib/requests/words/changed-calls.ts";

/** The changed call that other voters agreed to, as the person has read it: an approval agrees to that, and to nothing newer. */
export function useAgreedChange(question: InputRequestDetail, request: InputRequestDetail) {
  const latest = agreedChange(request);
  const [read, setRead] = useState(() => agreedChange(question));
  const [isRenewed, setRenewed] = useState(false);
  return {
    /** What an approval sends; `given`: where nobody changed anything. */
    contentOf: (given?: Record<string, unknown>) => (read ? { arguments: read } : given),
    /** Takes over what others agreed to since. Returns whether there is something new, which is read before a press decides. */
    renew: (): boolean => {
      if (JSON.stringify(latest) === JSON.stringify(read)) return false;
      setRead(latest);
      setRenewed(true);
      return true;
    },
    told: isRenewed ? "Others agreed to another call meanwhile. Read it above, then press again." : null,
  };
}
