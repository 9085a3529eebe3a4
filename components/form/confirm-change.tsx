"use client";

import type { QueryKey } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { type Then, useChange } from "@/components/form/change.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { errorSentence } from "@/lib/web/client/base/client.ts";

/** Asks before a change, makes it, and closes. Shows an error in the dialog, with `unchanged` below it. */
export function ConfirmChange<Output>({
  keys,
  call,
  done,
  unchanged,
  onClose,
  onDone = onClose,
  children,
  ...dialog
}: {
  keys: readonly QueryKey[];
  call: () => Promise<Output>;
  unchanged?: string;
  onClose: () => void;
} & Omit<Then<Output>, "onError"> &
  Pick<
    ComponentProps<typeof ConfirmDialog>,
    "title" | "description" | "confirm" | "dismiss" | "destructive" | "children"
  >) {
  const change = useChange(keys, call, { done, onDone });
  return (
    <ConfirmDialog
      {...dialog}
      open
      onOpenChange={onClose}
      pending={change.isPending}
      onConfirm={() => change.mutate()}
    >
      {children}
      {change.error && (
        <Notice live tone="bad" title={errorSentence(change.error)}>
          {unchanged && <p>{unchanged}</p>}
        </Notice>
      )}
    </ConfirmDialog>
  );
}
