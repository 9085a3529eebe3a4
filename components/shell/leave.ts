import { toast } from "@/components/ui/toast.ts";

const CHANNEL = "intray:left";

/** Signs out, then leads this tab and the browser's others to the sign-in page. */
export async function leave(): Promise<void> {
  const { signOut } = await import("next-auth/react");
  try {
    // Before anything leads away from here: a page that is left takes its calls along.
    await signOut({ redirect: false });
  } catch {
    toast.error("You are still signed in: Intray cannot be reached.");
    return;
  }
  new BroadcastChannel(CHANNEL).postMessage(null);
  window.location.assign("/sign-in");
}

/** Calls `listener` when the person has signed out in another tab. Returns how to stop. */
export function onLeft(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  return () => channel.close();
}
