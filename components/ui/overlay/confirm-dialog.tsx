"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";

/** Asks for confirmation before an irreversible action. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  confirm,
  dismiss = "Close",
  destructive = false,
  pending,
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  children?: ReactNode;
  confirm: string;
  dismiss?: string;
  destructive?: boolean;
  pending: boolean;
  onConfirm: () => void;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description}>
      {children}
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>{dismiss}</Button>
        <Button variant={destructive ? "destructive" : "primary"} disabled={pending} onClick={onConfirm}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
