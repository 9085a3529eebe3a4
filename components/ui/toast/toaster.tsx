"use client";

import { useEffect, useState } from "react";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { onFirstToast } from "@/components/ui/toast/toast.ts";

const ToasterBox = lazyComponent(() => import("./toaster-box.tsx").then((file) => file.ToasterBox), {
  warm: true,
});

/** Mounts the toaster once the first toast is raised. */
export function Toaster() {
  const [wanted, setWanted] = useState(false);
  useEffect(() => onFirstToast(() => setWanted(true)), []);
  return wanted && <ToasterBox />;
}
