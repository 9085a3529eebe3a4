const CHANNEL = "intray:left";

/** Signs out here and in the browser's other tabs, and leads to the sign-in page. */
export async function leave(): Promise<void> {
  const { signOut } = await import("next-auth/react");
  new BroadcastChannel(CHANNEL).postMessage(null);
  await signOut({ callbackUrl: "/sign-in" });
}

/** Calls `listener` when the person signs out in another tab. Returns how to stop. */
export function onLeft(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  return () => channel.close();
}
