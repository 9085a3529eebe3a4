"use client";

import { type ReactNode, useState } from "react";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import type { DialogProps } from "@/components/ui/overlay/dialog-box.tsx";
import { KeyLock } from "@/components/ui/overlay/key-lock.tsx";

const DialogBox = lazyComponent(() => import("./dialog-box.tsx").then((file) => file.DialogBox), {
  loading: DialogLoading,
  warm: true,
});

/**
 * Stands in for a dialog that is loading. Locks single keys already, because further keys are meant for the
 * dialog.
 */
export function DialogLoading() {
  return <KeyLock />;
}

/** A dialog over the page. On close the focus returns to the previous element. */
export function Dialog(props: DialogProps) {
  const [used, setUsed] = useState(props.open);
  if (props.open && !used) setUsed(true);
  return used ? <DialogBox {...props} /> : null;
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 max-md:*:flex-1">{children}</div>;
}
