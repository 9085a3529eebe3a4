"use client";

import { useEffect, useRef, useState } from "react";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";

const StepUpForm = lazyComponent(() => import("./step-up-form.tsx").then((file) => file.StepUpForm));

/**
 * The dialog in which a person shows that it is them, when the API asks for that. The refused call is then repeated by
 * itself (lib/web/client/base/client.ts). Calls that are refused meanwhile wait for the same dialog.
 */
export function StepUp() {
  const [open, setOpen] = useState(false);
  const waiting = useRef<((shown: boolean) => void)[]>([]);
  useEffect(() => {
    const ask = (event: Event) => {
      event.preventDefault();
      waiting.current.push((event as CustomEvent<(shown: boolean) => void>).detail);
      setOpen(true);
    };
    window.addEventListener("intray:step-up", ask);
    return () => window.removeEventListener("intray:step-up", ask);
  }, []);
  const end = (shown: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(shown);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={() => end(false)}
      title="Confirm that it is you"
      description="Asked before data is exported, deleted or sent elsewhere, before access changes, and where the policy requires it for a decision. It counts for 5 minutes."
    >
      <StepUpForm onEnd={end} />
    </Dialog>
  );
}
