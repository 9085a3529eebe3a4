import type { Tone } from "../../text/labels.ts";
import type { ServerConnection } from "./connection-schema.ts";

/** The word and tone of a connection's state. */
export const CONNECTION_WORDS: Record<ServerConnection["state"], { word: string; tone: Tone }> = {
  not_connected: { word: "Not connected", tone: "neutral" },
  connected: { word: "Connected", tone: "good" },
  needs_reauth: { word: "Needs a new sign-in", tone: "bad" },
  needs_scope: { word: "Needs more rights", tone: "wait" },
};

/** The label of the button that connects. */
export function connectWord(state: ServerConnection["state"]): string {
  if (state === "not_connected") return "Connect…";
  if (state === "needs_scope") return "Reconnect with more rights…";
  return state === "needs_reauth" ? "Sign in again…" : "Reconnect…";
}

/** `1 task waits`, `3 tasks wait`. */
export function waitingTasks(count: number): string {
  return count === 1 ? "1 task waits" : `${count} tasks wait`;
}

/** Returns why a connection's tasks stand still, with the remedy, or null. `whose`: `Ana’s connection`. */
export function connectionTrouble(
  state: ServerConnection["state"],
  whose: string,
  server: string,
): { title: string; advice: string } | null {
  if (state === "connected") return null;
  if (state === "needs_scope")
    return {
      title: `${whose} has fewer rights than ${server} asks for.`,
      advice:
        "Tasks that need more rights are waiting, and continue once you reconnect. Other tasks continue now.",
    };
  return {
    title:
      state === "needs_reauth"
        ? `${whose} to ${server} needs a new sign-in.`
        : `${whose} to ${server} was disconnected.`,
    advice: "Nothing is lost: tasks wait, answers are kept, and everything continues after a sign-in.",
  };
}

/** The connection's owner at the start of a sentence. `me`: the reader's user id. */
export function whoseConnection(owner: { id: string; name: string } | null, me: string): string {
  if (owner?.id === me) return "Your connection";
  return owner ? `${owner.name}’s connection` : "The shared connection";
}
