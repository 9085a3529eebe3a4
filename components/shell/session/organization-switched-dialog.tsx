"use client";

import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";

/** Shown when the session has moved on: to another organization, or into or out of a member's view. */
export function Moved({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="This page is out of date"
      description="In another tab you switched the organization, or started or stopped viewing as a member; or you are no longer a member here. Nothing was sent from this page."
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
