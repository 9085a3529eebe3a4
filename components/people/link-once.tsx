"use client";

import { SecretOnce } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";

/** A new link and the person it is for. */
export function LinkOnce({ url, email, onDone }: { url: string; email: string; onDone: () => void }) {
  return (
    <>
      <SecretOnce label={`Link for ${email}`} value={url} />
      <p className="text-[13px] text-muted">
        It is shown this once. Whoever opens it needs the account of {email}, or makes it. An account made by
        a link that was shown works in this organization alone, until its person proves the address.
      </p>
      <DialogActions>
        <Button onClick={onDone}>Done</Button>
      </DialogActions>
    </>
  );
}
