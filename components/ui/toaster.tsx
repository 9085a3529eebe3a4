"use client";

import { type ComponentType, useEffect, useState } from "react";
import { loadWhenTouched } from "@/components/ui/load-when-touched.ts";
import { onFirstToast } from "@/components/ui/toast.ts";

const AGAIN_MS = 3_000;

const load = async () => (await import("./toaster-box.tsx")).ToasterBox;
loadWhenTouched(load);

/** The place for toasts, once there is something to say. */
export function Toaster() {
  const [Box, setBox] = useState<ComponentType | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const bring = () => {
      load().then(
        (box) => setBox(() => box),
        // Without a network, say: what is to be said waits.
        () => {
          timer = setTimeout(bring, AGAIN_MS);
        },
      );
    };
    const stop = onFirstToast(bring);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return Box && <Box />;
}
