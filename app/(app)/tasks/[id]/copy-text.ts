import { toast } from "@/components/ui/toast.ts";

/** Copies, and says so; `what` begins a sentence. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} is copied`);
  } catch {
    toast.error("The browser did not let it be copied: select it and copy it yourself.");
  }
}
