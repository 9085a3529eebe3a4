/**
 * What stands between this page and Intray, told by what happens: the browser's own word on the network, the answers
 * of calls, and the event stream. Outside React, because calls are.
 */
interface State {
  /** The browser has a network. */
  online: boolean;
  /** The last call: `yes` it was answered, `no` nothing came back, `database` Intray itself lacks its database. */
  reached: "yes" | "no" | "database";
  /** The session is over; what was typed is still on the page. */
  signedOut: boolean;
  /** Changes arrive by themselves. */
  live: boolean;
}

export type Trouble = "offline" | "signed_out" | "unreachable" | "database" | "not_live";

let state: State = { online: true, reached: "yes", signedOut: false, live: true };
const listeners = new Set<() => void>();

export function noteConnection(change: Partial<State>) {
  const next = { ...state, ...change };
  const changed = (Object.keys(next) as (keyof State)[]).some((key) => next[key] !== state[key]);
  if (!changed) return;
  state = next;
  for (const listener of listeners) listener();
}

export function subscribeToConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether changes arrive by themselves. */
export function isLive(): boolean {
  return trouble() === null;
}

/** The trouble that explains the others, or null. */
export function trouble(): Trouble | null {
  if (!state.online) return "offline";
  if (state.signedOut) return "signed_out";
  if (state.reached === "no") return "unreachable";
  if (state.reached === "database") return "database";
  return state.live ? null : "not_live";
}
