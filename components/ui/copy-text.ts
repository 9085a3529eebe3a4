import { toast } from "@/components/ui/toast/toast.ts";

/** Copies text to the clipboard and shows a toast. */
export function copyText(text: string, done: string): void {
  // `navigator.clipboard` is undefined on pages without https.
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
  void copied.then(
    () => toast(done),
    () => toast.error("The browser does not let this page copy."),
  );
}
