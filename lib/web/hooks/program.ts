/** A program whose hooks ask Intray: how it tells a call, and the words in which it takes an answer. */
import type { AskedCall } from "../../lifecycle/program-calls/program-call-writes.ts";

/** An event of a hook that wants to know whether a call may be made. */
export interface HookEvent {
  call: AskedCall;
  whenUndecided: WhenUndecided;
  answers: Answers;
}

/**
 * What becomes of a call that nobody decided in time. `defer`: the program keeps it, and asks again once it is resumed. `ask`: a
 * person at the terminal is asked. `deny`: the call is over.
 */
export type WhenUndecided = "defer" | "ask" | "deny";

/** Bodies of an answer. Each is a decision of the program's protocol: an empty one would let the call through. */
export interface Answers {
  /** `comment`: of the person who approved, for the agent. */
  allow(reason: string, comment: string | null): object;
  deny(reason: string): object;
  /** Nobody decided in time. `reason` says where people can. Never lets the call pass by itself. */
  undecided(reason: string): object;
}

export interface Program {
  /** Throws `invalid_input` for an event that does not ask about a call. */
  read(body: unknown, headers: Headers): HookEvent;
  /** For a request whose event is not known. Blocks whatever the event is. */
  refuse(reason: string): object;
}
