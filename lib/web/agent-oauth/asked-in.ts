import type { IncomingMessage } from "node:http";
import type { WebSession } from "../auth/session-cookie.ts";

const sessions = new WeakMap<IncomingMessage, WebSession>();

/** Says in which session of Intray's an authorization was asked for. */
export function markAskedIn(request: IncomingMessage, session: WebSession): void {
  sessions.set(request, session);
}

export function askedIn(request: IncomingMessage): WebSession | undefined {
  return sessions.get(request);
}
