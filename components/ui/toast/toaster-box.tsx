"use client";

import { type CSSProperties, useEffect, useRef } from "react";
import { Toaster, toast } from "sonner";
import { useTheme } from "@/components/shell/use-theme.ts";
import { rememberFocus } from "@/components/ui/overlay/return-focus.ts";
import { setToaster } from "@/components/ui/toast/toast.ts";

/** What is said in passing, above the bar that decides: loaded apart, with the library that shows it. */
export function ToasterBox() {
  const { resolvedTheme } = useTheme();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => giveFocusBack(place.current!), []);
  // After the toaster itself, which listens from its own effect on.
  useEffect(() => {
    setToaster(toast);
    return () => setToaster(null);
  }, []);
  return (
    <div ref={place}>
      <Toaster
        position="bottom-right"
        theme={resolvedTheme === "dark" ? "dark" : "light"}
        // A decision, its seconds and Undo stand in one line.
        style={{ "--width": "400px" } as CSSProperties}
        // However high the bar is.
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
    </div>
  );
}

/** A toast goes by itself. Had its button the focus, that goes back to where it came from, not to nowhere. */
function giveFocusBack(place: HTMLElement): () => void {
  let back: (() => void) | null = null;
  const onFocusIn = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && place.contains(relatedTarget)))
      back = rememberFocus(relatedTarget instanceof Element ? relatedTarget : null);
  };
  // It does nothing while the focus is anywhere at all.
  const observer = new MutationObserver(() => back?.());
  place.addEventListener("focusin", onFocusIn);
  observer.observe(place, { childList: true, subtree: true });
  return () => {
    place.removeEventListener("focusin", onFocusIn);
    observer.disconnect();
  };
}
