import { leadAll } from "@/components/shell/session/other-tabs.ts";
import { toast } from "@/components/ui/toast/toast.ts";

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
  leadAll("/sign-in");
}
