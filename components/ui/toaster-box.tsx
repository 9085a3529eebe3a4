"use client";

import { useTheme } from "next-themes";
import { useEffect } from "react";
import { Toaster, toast } from "sonner";
import { setToaster } from "@/components/ui/toast.ts";

/** Where toasts appear: loaded apart, with the library that shows them. */
export function ToasterBox() {
  const { resolvedTheme } = useTheme();
  // After the toaster itself, which listens from its own effect on.
  useEffect(() => {
    setToaster(toast);
    return () => setToaster(null);
  }, []);
  return (
    <Toaster
      position="bottom-right"
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      // Above the bar that decides, however high it is.
      offset={{ bottom: "calc(var(--decision-bar, 64px) + 12px)", right: 24 }}
      mobileOffset={{ bottom: "calc(var(--decision-bar, 64px) + 12px)" }}
      toastOptions={{
        // The reverse of the page, so that it is seen without being loud.
        classNames: {
          toast: "!rounded-lg !border-0 !bg-ink !text-bg !font-sans !text-sm !shadow-pop",
          description: "!text-bg/80",
          actionButton: "!bg-transparent !text-bg !font-medium !underline !underline-offset-4",
        },
      }}
    />
  );
}
