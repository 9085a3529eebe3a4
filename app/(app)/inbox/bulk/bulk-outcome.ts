import { actorWords } from "@/lib/access/actor-words.ts";
import type { BulkUndoResult, Refused } from "@/lib/requests/request-schema.ts";

/** The result for one request: `undone` was undone before sending, `kept` came too late for an undo. */
export type BulkOutcome =
  | { id: string; status: "recorded" | "voted" | "undone" }
  | { id: string; status: "kept"; detail: string }
  | Refused;

/** Returns the results after an undo: those that it did not reach are as they were. */
export function afterUndo(before: BulkOutcome[], undone: BulkUndoResult["results"]): BulkOutcome[] {
  return before.map((each) => {
    const undo = undone.find(({ id }) => id === each.id);
    if (!undo) return each;
    if (undo.status === "undone") return { id: each.id, status: "undone" };
    return { id: each.id, status: "kept", detail: undo.detail };
  });
}

/** Returns `2 recorded · 1 not recorded`. Claims no more than the server has reported. */
export function summaryOf(results: BulkOutcome[]): string {
  const count = (status: BulkOutcome["status"]) => results.filter((each) => each.status === status).length;
  return [
    [count("recorded"), "recorded"],
    [count("voted"), "voted on, wait for others"],
    [count("undone"), "undone, nothing was sent"],
    [count("refused"), "not recorded"],
  ]
    .filter(([number]) => number !== 0)
    .map((words) => words.join(" "))
    .join(" · ");
}

/** In this order, what needs attention comes first. */
const ORDER: BulkOutcome["status"][] = ["refused", "kept", "undone", "voted", "recorded"];

export function byAttention(results: BulkOutcome[]): BulkOutcome[] {
  return results.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
}

const WORDS = {
  recorded: "Recorded",
  voted: "Your vote counts; others have to agree",
  undone: "Undone",
  kept: "Recorded, too late to undo",
  refused: "Not recorded",
} as const;

/** Returns what became of one answer. `beaten`: another person was faster. */
export function outcomeWords(result: BulkOutcome): { words: string; beaten: boolean } {
  // The database was unavailable before or during the recording.
  const unknown = result.status === "refused" && result.code === "database_unavailable";
  const words = unknown ? "Unknown" : WORDS[result.status];
  if (result.status === "refused" && result.by)
    return { words: `${words}: ${actorWords(result.by, { begins: true })} was faster`, beaten: true };
  return { words: "detail" in result ? `${words}: ${result.detail}` : words, beaten: false };
}
