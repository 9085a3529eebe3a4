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
  leadAll("/sign-in");
}

/** Leads this tab and the browser's others to `path`, by a full load: what they show is over. */
export function leadAll(path: string): void {
  new BroadcastChannel(CHANNEL).postMessage(path);
  window.location.assign(path);
}

/** Follows when another tab leads all of them somewhere. Returns how to stop. */
export function followOthers(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string>) => window.location.assign(data);
  return () => channel.close();
}
