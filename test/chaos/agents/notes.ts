/** What agents' clients write down: the first thing that they do, and the last that is known of them after kill -9. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { AgentName } from "./plan.ts";

/** What a call ended with, as far as its client can tell one end from another. */
export interface Told {
  isError: boolean;
  text: string;
  /** Of a task that failed. */
  code: string | null;
  /** Of `request_approval`. */
  outcome: string | null;
}

export type Note = { time: string; call: number; agent: AgentName } & (
  | { what: "called" }
  /** The call itself was answered, with the task that it is. `calledAt`: when it was made. */
  | { what: "joined or began"; taskId: string; calledAt: string }
  /** The answer did not come, or said to try again. */
  | { what: "cut off" }
  | { what: "hung up" }
  | { what: "result"; taskId: string; told: Told }
  /** An answer that no client can go on with. */
  | { what: "refused"; why: string }
  /** Intray said that something went wrong on its side. */
  | { what: "internal error"; problem: string }
  /** Another agent asked for the task. */
  | { what: "stranger"; taskId: string; saw: boolean }
);

type Unsigned<N> = N extends Note ? Omit<N, "time" | "call" | "agent"> : never;
export type NewNote = Unsigned<Note>;

export function appendNote(file: string, note: Note): void {
  appendFileSync(file, `${JSON.stringify(note)}\n`);
}

/** Reads all notes. Each was one write, which a kill lets be or prevents. */
export function readNotes(file: string): Note[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Note);
}

/** Calls that need not be made again have one of these. */
export function isOver({ what }: Note): boolean {
  return what === "result" || what === "refused";
}
