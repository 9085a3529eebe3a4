/**
 * The connection between this page and Intray, as known from the browser's network state, the answers of
 * calls, and the event stream. Outside React, because calls are.
 */
interface State {
  /** The browser has a network. */
  online: boolean;
  /** The last call. `yes`: answered; `no`: no answer came; `database`: Intray lacks its database. */
  reached: "yes" | "no" | "database";
  /** The session is over; typed text is still on the page. */
  signedOut: boolean;
  /** The event stream delivers changes. */
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

/** Whether the event stream delivers changes. */
export function isLive(): boolean {
  return trouble() === null;
}

/** Whether Intray answers, as far as its last answers and the event stream go, and not the browser's network. */
export function isReached(): boolean {
  return state.reached === "yes" && state.live;
}

/** Returns the trouble that explains the others, or null. */
export function trouble(): Trouble | null {
  if (!state.online) return "offline";
  if (state.signedOut) return "signed_out";
  if (state.reached === "no") return "unreachable";
  if (state.reached === "database") return "database";
  return state.live ? null : "not_live";
}
