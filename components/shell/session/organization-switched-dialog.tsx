"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";

/** Shown when the session has moved to another organization: the API refuses all calls of this page. */
export function Moved({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { organization } = useMe();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`This page is ${organization.name}’s`}
      description="You work in another organization by now: you switched in another tab, or are no member here any more. Nothing was sent from this page."
    >
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>Close</Button>
        <Button variant="primary" onClick={() => window.location.assign("/")}>
          Reload
        </Button>
      </DialogActions>
    </Dialog>
  );
}
