/** A program whose hooks ask Intray: how it describes a call, and the format in which it reads an answer. */
import type { AskedCall } from "../../lifecycle/program-calls/program-call-writes.ts";

/** An event of a hook that wants to know whether a call may be made. */
export interface HookEvent {
  call: AskedCall;
  whenUndecided: WhenUndecided;
  answers: Answers;
}

/**
 * What happens to a call that nobody decided in time. `defer`: the program keeps it, and asks again once it is
 * resumed. `ask`: a person at the terminal is asked. `deny`: the call is over.
 */
export type WhenUndecided = "defer" | "ask" | "deny";

/** An approval, by a rule or a person. */
export interface Allowed {
  reason: string;
  /** Of the person who approved, for the agent. */
  comment: string | null;
  /** With which the call is made instead; null: as the program asked. Only for a call that `takesChanges`. */
  input: Record<string, unknown> | null;
}

/** What the agent's model reads of an approval; null: the call says enough. */
export function contextOf({ reason, comment, input }: Allowed): string | null {
  const said = comment === null ? "" : ` They said: ${comment}`;
  if (input) return `${reason}${said} The call was made with this input: ${JSON.stringify(input)}`;
  return comment === null ? null : `${reason}${said}`;
}

/** Bodies of an answer. Each is a decision of the program's protocol: an empty one would let the call through. */
export interface Answers {
  allow(approval: Allowed): object;
  deny(reason: string): object;
  /** Nobody decided in time. `reason` says where people can. Never lets the call pass by itself. */
  undecided(reason: string): object;
}

export interface Program {
  /** Its own name of the tool that runs a shell command, which has the command in `command`. */
  shell: string;
  /** Whether it makes a call with another input, where a person changes it. */
  takesChanges: boolean;
  /** Throws `invalid_input` for an event that does not ask about a call. */
  read(body: unknown, headers: Headers): HookEvent;
  /** For a request whose event is unknown. Blocks the call for every event. */
  refuse(reason: string): object;
}
