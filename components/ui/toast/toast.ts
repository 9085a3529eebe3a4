import type { ReactNode } from "react";
import type { ExternalToast, toast as Sonner } from "sonner";

type Saying = (toast: typeof Sonner) => void;

let sonner: typeof Sonner | null = null;
/** What was said before there was a place for it, in order. */
const unsaid: Saying[] = [];
let want = () => {};

/** Says something in passing. The place for it is loaded when it is first needed; nothing said before is lost. */
export const toast = Object.assign(
  (message: ReactNode, options?: ExternalToast) => say((each) => each(message, options)),
  {
    error: (message: ReactNode, options?: ExternalToast) => say((each) => each.error(message, options)),
    success: (message: ReactNode, options?: ExternalToast) => say((each) => each.success(message, options)),
  },
);

function say(saying: Saying): void {
  if (sonner) return void saying(sonner);
  unsaid.push(saying);
  want();
}

/** For the shell: calls back when there is something to say and no place for it. */
export function onFirstToast(listener: () => void): () => void {
  want = listener;
  if (unsaid.length > 0) listener();
  return () => {
    want = () => {};
  };
}

/** The place is there: what waited is said, and everything else from now on. Null: it is gone again. */
export function setToaster(toaster: typeof Sonner | null): void {
  sonner = toaster;
  if (toaster) for (const saying of unsaid.splice(0)) saying(toaster);
}
