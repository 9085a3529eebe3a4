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

/** The row of buttons at the end of a dialog. Stays in view while the dialog scrolls; what is above fades out below it. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 z-10 -mx-5 -mb-5 flex flex-wrap justify-end gap-2 bg-panel px-5 pb-5 before:pointer-events-none before:absolute before:inset-x-0 before:-top-4 before:h-4 before:bg-linear-to-t before:from-panel before:to-transparent max-md:*:flex-1">
      {children}
    </div>
  );
}
