import type { ReactNode } from "react";
import type { ExternalToast, toast as Sonner } from "sonner";
import { visibleText } from "@/lib/text/foreign/hidden.ts";

type Saying = (toast: typeof Sonner) => void;

let sonner: typeof Sonner | null = null;
/** Toasts raised before the toaster was mounted, in order. */
const unsaid: Saying[] = [];
let want = () => {};

/** Texts of others reach the library past our JSX, which would mark what is hidden in them. */
const read = (message: ReactNode) => (typeof message === "string" ? visibleText(message) : message);
const readIn = (options: ExternalToast | undefined): ExternalToast | undefined =>
  typeof options?.description === "string"
    ? { ...options, description: visibleText(options.description) }
    : options;

/** Shows a toast. The toaster is loaded on first use; earlier toasts are queued. */
export const toast = Object.assign(
  (message: ReactNode, options?: ExternalToast) => say((each) => each(read(message), readIn(options))),
  {
    error: (message: ReactNode, options?: ExternalToast) =>
      say((each) => each.error(read(message), readIn(options))),
    success: (message: ReactNode, options?: ExternalToast) =>
      say((each) => each.success(read(message), readIn(options))),
    dismiss: (id: string) => say((each) => each.dismiss(id)),
  },
);

function say(saying: Saying): void {
  if (sonner) return void saying(sonner);
  unsaid.push(saying);
  want();
}

/** For the shell: calls back when a toast is raised and no toaster is mounted. */
export function onFirstToast(listener: () => void): () => void {
  want = listener;
  if (unsaid.length > 0) listener();
  return () => {
    want = () => {};
  };
}

/** Registers the toaster and shows the queued toasts. Null unregisters the toaster. */
export function setToaster(toaster: typeof Sonner | null): void {
  sonner = toaster;
  if (toaster) for (const saying of unsaid.splice(0)) saying(toaster);
}

/** Copies text to the clipboard and shows a toast. */
export function copyText(text: string, done: string): void {
  // `navigator.clipboard` is undefined on pages without https.
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
  void copied.then(
    () => toast(done),
    () => toast.error("The browser does not let this page copy."),
  );
}
