import { toast } from "@/components/ui/toast/toast.ts";

/** Puts text on the clipboard, and says so. */
export function copyText(text: string, done: string): void {
  // There is no clipboard on pages without https.
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
  void copied.then(
    () => toast(done),
    () => toast.error("The browser does not let this page copy."),
  );
}
