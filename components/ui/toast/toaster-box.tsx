"use client";

import { type CSSProperties, type FocusEvent, type RefObject, useEffect, useRef } from "react";
import { Toaster, toast } from "sonner";
import { useTheme } from "@/components/shell/use-theme.ts";
import { rememberFocus } from "@/components/ui/overlay/return-focus.ts";
import { setToaster } from "@/components/ui/toast/toast.ts";

/** The toaster, above the decision bar. Loaded apart, with the toast library. */
export function ToasterBox() {
  const { resolvedTheme } = useTheme();
  const focusBack = useFocusBack();
  // Runs after the toaster's own effect, which subscribes to toasts.
  useEffect(() => {
    setToaster(toast);
    return () => setToaster(null);
  }, []);
  return (
    <div {...focusBack}>
      <Toaster
        position="bottom-right"
        theme={resolvedTheme === "dark" ? "dark" : "light"}
        // Wide enough for a decision, its seconds and Undo in one line.
        style={{ "--width": "400px" } as CSSProperties}
        // Above the decision bar, whatever its height.
        offset={{ bottom: "calc(var(--decision-bar, 64px) + 12px)", right: 24 }}
        mobileOffset={{ bottom: "calc(var(--decision-bar, 64px) + 12px)" }}
        toastOptions={{
          // Inverted colours: visible without being loud.
          classNames: {
            toast: "!rounded-lg !border-0 !bg-ink !text-bg !font-sans !text-sm !shadow-pop",
            description: "!text-bg/80",
            actionButton: "!bg-transparent !text-bg !font-medium !underline !underline-offset-4",
          },
        }}
      />
    </div>
  );
}

/**
 * A toast disappears by itself. If its button has the focus, the focus returns to the previous element.
 * sonner does the same whenever the focus leaves its list, so that Tab could not lead past a toast: it
 * must not hear of the focus.
 */
function useFocusBack(): {
  ref: RefObject<HTMLDivElement | null>;
  onFocusCapture: (event: FocusEvent) => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const back = useRef<(() => void) | null>(null);
  useEffect(() => {
    // `back` does nothing while any element has the focus.
    const observer = new MutationObserver(() => back.current?.());
    observer.observe(ref.current!, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  const onFocusCapture = (event: FocusEvent) => {
    event.stopPropagation();
    const from = event.relatedTarget;
    if (!ref.current?.contains(from)) back.current = rememberFocus(from);
  };
  return { ref, onFocusCapture };
}
