"use client";

import { type CSSProperties, type FocusEvent, type RefObject, useEffect, useRef } from "react";
import { Toaster, toast } from "sonner";
import { useTheme } from "@/components/shell/use-theme.ts";
import { rememberFocus } from "@/components/ui/overlay/return-focus.ts";
import { setToaster } from "@/components/ui/toast/toast.ts";

/** What toasts leave free at the end of the window. */
const BELOW = "var(--decision-bar, 64px)";
/** Below and above the toasts, in px. */
const GAP = 12;
/** By which each further toast stands out behind the first, in px: sonner's own. */
const BEHIND = 14;

/** The toaster, above the decision bar. Loaded apart, with the toast library. */
export function ToasterBox() {
  const { resolvedTheme } = useTheme();
  const focusBack = useFocusBack();
  useRoom(focusBack.ref);
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
        offset={{ bottom: `calc(${BELOW} + ${GAP}px)`, right: 24 }}
        mobileOffset={{ bottom: `calc(${BELOW} + ${GAP}px)` }}
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
 * Sets `--toasts` to the height at the end of the window that toasts need, so that a request leaves this room free (`ToastRoom`).
 * Computed, because toasts are still moving when they are added. Toasts that the pointer spreads out are not counted.
 */
function useRoom(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const { style } = document.documentElement;
    const measure = () => {
      const list = ref.current!.querySelector<HTMLElement>("[data-sonner-toaster]");
      const shown =
        list?.querySelectorAll("[data-sonner-toast][data-visible=true]:not([data-removed=true])").length ?? 0;
      const front = Number.parseFloat(list?.style.getPropertyValue("--front-toast-height") ?? "0");
      if (shown === 0) style.removeProperty("--toasts");
      else style.setProperty("--toasts", `calc(${BELOW} + ${front + (shown - 1) * BEHIND + 2 * GAP}px)`);
    };
    const observer = new MutationObserver(measure);
    const attributeFilter = ["style", "data-visible", "data-removed"];
    observer.observe(ref.current!, { childList: true, subtree: true, attributes: true, attributeFilter });
    return () => {
      observer.disconnect();
      style.removeProperty("--toasts");
    };
  }, [ref]);
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
