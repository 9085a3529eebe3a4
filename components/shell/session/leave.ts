/** Ways to leave what a page shows, in all tabs of this browser: signing out, and another organization. */
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";

/** Signs out, then loads the sign-in page in this tab and in the browser's others. */
export async function leave(): Promise<void> {
  const { signOut } = await import("next-auth/react");
  try {
    // Waits for the response: a navigation aborts the page's requests.
    await signOut({ redirect: false });
  } catch {
    toast.error("You are still signed in: Intray can’t be reached.");
    return;
  }
  // The palette's last requests and tasks, by name.
  sessionStorage.clear();
  // What can't be forgotten now is forgotten at the sign-in page (public/sw.js).
  const { forgetMember } = await import("../worker/service-worker.ts");
  await forgetMember().catch(() => undefined);
  leadAll("/sign-in");
}

/** Switches to another organization, in all tabs of this browser. */
export async function switchOrganization(organizationId: string): Promise<void> {
  try {
    await api.put("/api/v1/me/organization", { organizationId });
  } catch (error) {
    toast.error(errorSentence(error));
    return;
  }
  leadAll("/");
}

const CHANNEL = "intray:left";

/** Loads `path` in this tab and in the browser's other tabs, because their pages are outdated. */
export function leadAll(path: string): void {
  new BroadcastChannel(CHANNEL).postMessage(path);
  window.location.assign(path);
}

/** Follows `leadAll` of another tab. Returns a function that stops. */
export function followOthers(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string>) => window.location.assign(data);
  return () => channel.close();
}
