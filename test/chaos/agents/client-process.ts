/**
 * Clients of agents in a process of their own, which is killed: `node client-process.ts <work> <notes>`. A new process finds
 * in the notes which calls have their results, and makes the others again.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { callUntilAnswered } from "./client.ts";
import { appendNote, isOver, readNotes } from "./notes.ts";
import type { AgentName, CallPlan } from "./plan.ts";

/** What the process has to do; calls are planned from `beginsAt`, in ms since the epoch. */
export interface ClientWork {
  url: string;
  beginsAt: number;
  calls: { agent: AgentName; secret: string; tool: string; plan: CallPlan }[];
}

const [workFile, notesFile] = process.argv.slice(2) as [string, string];
const { url, beginsAt, calls } = JSON.parse(readFileSync(workFile, "utf8")) as ClientWork;
const over = new Set(
  readNotes(notesFile).flatMap((note) => (isOver(note) ? `${note.agent} ${note.call}` : [])),
);
const { signal } = new AbortController();

process.on("disconnect", () => process.exit());
await Promise.all(
  calls
    .filter(({ agent, plan }) => !over.has(`${agent} ${plan.at}`))
    .map(async ({ agent, secret, tool, plan }) => {
      await sleep(Math.max(0, beginsAt + plan.startAtMs - Date.now()));
      const of = { call: plan.at, agent };
      await callUntilAnswered({
        url,
        secret,
        tool,
        plan,
        note: (note) => appendNote(notesFile, { time: new Date().toISOString(), ...of, ...note }),
        onPatient: () => {},
        stranger: null,
        signal,
      });
    }),
);
