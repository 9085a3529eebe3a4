import { actorWords } from "@/lib/access/actor-words.ts";
import type { BulkUndoResult, Refused } from "@/lib/requests/request-input-schema.ts";
import type { DeliveryStage } from "@/lib/requests/words/delivery.ts";

/**
 * The result for one request: `undone` was undone before sending, `kept` came too late for an undo. A recorded answer
 * is then `sending`, and in the end `accepted` by the server or `failed`.
 */
export type BulkOutcome =
  | { id: string; status: "recorded" | "voted" | "undone" | "sending" | "accepted" | "failed" }
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

/** The ids of the answers that the server may get or have got. */
export function recordedIn(results: BulkOutcome[]): string[] {
  return results
    .filter(({ status }) => status !== "voted" && status !== "undone" && status !== "refused")
    .map(({ id }) => id);
}

/** Returns the results with how far the recorded answers have come. `stageOf`: null if that is not known yet. */
export function followed(
  results: BulkOutcome[],
  stageOf: (id: string) => DeliveryStage | null,
): BulkOutcome[] {
  return results.map((each) => {
    const stage = each.status === "recorded" || each.status === "kept" ? stageOf(each.id) : null;
    return stage === null || stage === "held" ? each : { id: each.id, status: stage };
  });
}

/** Whether the server has answered for each, so that nothing is left to follow. */
export function isOver(results: BulkOutcome[]): boolean {
  return !results.some(({ status }) => status === "recorded" || status === "kept" || status === "sending");
}

/**
 * Returns `2 accepted by Finance ERP · 1 not recorded`. Claims no more than the server has reported. `receiver`: who
 * gets the answers.
 */
export function summaryOf(results: BulkOutcome[], receiver: string): string {
  const count = (status: BulkOutcome["status"]) => results.filter((each) => each.status === status).length;
  return [
    [count("accepted"), `accepted by ${receiver}`],
    [count("sending"), `being sent to ${receiver}`],
    [count("failed"), `not delivered to ${receiver}`],
    [count("recorded") + count("kept"), "recorded"],
    [count("voted"), "voted on, wait for others"],
    [count("undone"), "undone, nothing was sent"],
    [count("refused"), "not recorded"],
  ]
    .filter(([number]) => number !== 0)
    .map((words) => words.join(" "))
    .join(" · ");
}

/** In this order, what needs attention comes first. */
const ORDER: BulkOutcome["status"][] = [
  "failed",
  "refused",
  "kept",
  "undone",
  "voted",
  "recorded",
  "sending",
  "accepted",
];

export function byAttention(results: BulkOutcome[]): BulkOutcome[] {
  return results.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
}

const WORDS = {
  recorded: "Recorded",
  voted: "Your vote is recorded; others have to agree too",
  undone: "Undone",
  kept: "Recorded, too late to undo",
  refused: "Not recorded",
  sending: "Recorded, being sent",
  accepted: "Accepted by the server",
  failed: "Recorded, but not delivered",
} as const;

/** Returns what became of one answer. `beaten`: another person was faster. */
export function outcomeWords(result: BulkOutcome): { words: string; beaten: boolean } {
  // The database was unavailable before or during the recording.
  const unknown = result.status === "refused" && result.code === "database_unavailable";
  const words = unknown ? "Unknown" : WORDS[result.status];
  if (result.status === "refused" && result.by)
    return { words: `${words}: ${actorWords(result.by, { begins: true })} answered first`, beaten: true };
  return { words: "detail" in result ? `${words}: ${result.detail}` : words, beaten: false };
}
