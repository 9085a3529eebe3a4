import type { Me } from "@/components/shell/session/me.tsx";
import type { Form } from "@/lib/mcp/forms/form.ts";
import { decisionOf, isApproval } from "@/lib/requests/answers/form-buttons.ts";
import { harmlessOf } from "@/lib/requests/answers/plain-no.ts";
import type { Action, InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { MOST_AT_ONCE, notAlike, notTold } from "@/lib/requests/words/bulk-words.ts";
import { acceptBlocker, type Blocker, requestBlocker } from "../answer/answer-blockers.ts";
import { choiceKeys } from "../answer/decision/decision-offer.ts";

/** A way to answer requests of the same kind together. */
export interface BulkAction {
  label: string;
  action: Action;
  /** Whether the button is emphasised. */
  lead: boolean;
  key: "A" | "R" | null;
  /** The content to send; undefined if none, or if the form provides it. */
  content: Record<string, unknown> | undefined;
  /** What is filled in first, once for all requests, or read. */
  form: Form | null;
  /** Destroys nothing and needs no second look. */
  harmless: boolean;
}

export const DECLINE: BulkAction = {
  label: "Decline",
  action: "decline",
  lead: false,
  key: null,
  form: null,
  content: undefined,
  harmless: true,
};

/** Returns the actions for a form; none if the form is not supported. */
function bulkActions(form: Form, messages: string[], approves: boolean): BulkAction[] {
  const accept = { action: "accept" as const, form, harmless: false };
  const decision = decisionOf(form, approves);
  switch (decision.kind) {
    case "none":
      return [];
    case "confirm":
      return [{ ...accept, label: approves ? "Approve" : "Confirm", lead: true, key: "A", content: {} }];
    case "form":
      return [
        { ...accept, label: approves ? "Approve" : "Answer", lead: true, key: "A", content: undefined },
      ];
    case "choices": {
      const keys = choiceKeys(decision);
      const [first = [], ...others] = messages.map((message) => harmlessOf(form, message));
      const harmless = first.filter((value) => others.every((values) => values.includes(value)));
      return decision.choices.map((choice, index) => ({
        ...accept,
        label: choice.label,
        lead: index === 0 && choice.affirmative,
        key: keys[index] ?? null,
        content: choice.content,
        harmless: harmless.includes(Object.values(choice.content)[0]!),
      }));
    }
  }
}

type Selected = Pick<
  InputRequestSummary,
  | "alike"
  | "message"
  | "label"
  | "party"
  | "amount"
  | "mode"
  | "server"
  | "tool"
  | "warnings"
  | "actions"
  | "origin"
  | "gate"
  | "approval"
  | "requestedBy"
  | "claimedBy"
  | "task"
  | "fourEyes"
  | "urlOwner"
>;

/**
 * Returns what this person can do with the selected requests at once. `form`: that of the first one; null until it is
 * loaded.
 */
export function bulkOffer(selected: Selected[], form: Form | null, me: Pick<Me, "user">) {
  const reason =
    notAlike(selected) ??
    notAllBy(
      "answer",
      selected.map((request) => requestBlocker(request, me)),
    );
  const acceptReason =
    reason ??
    notAllBy(
      "accept",
      selected.map((request) => acceptBlocker(request, me)),
    ) ??
    notTold(selected);
  const messages = selected.map(({ message }) => message);
  const possible =
    acceptReason === null && form ? bulkActions(form, messages, selected.every(isApproval)) : [];
  // What cannot be undone is accepted one by one; a harmless answer to all is possible.
  const destroys = selected.some((request) => request.warnings.includes("destructive"));
  const actions = destroys ? possible.filter((action) => action.harmless) : possible;
  const undeclinable = selected.filter((request) => !request.actions.includes("decline")).length;
  const noDecline =
    undeclinable === 0 ? null : `${undeclinable} of these can’t be declined. Choose one of their answers.`;
  const declines = selected.length > undeclinable;
  const keyed = (key: "a" | "r" | "d") =>
    key === "d"
      ? declines && !noDecline
        ? DECLINE
        : undefined
      : possible.find((action) => action.key === key.toUpperCase());
  return {
    /** Why nothing can be answered together. */
    reason,
    /** What the person should know: why something is off, or not offered. */
    notes: [
      acceptReason,
      reason === null && declines ? noDecline : null,
      reason === null && destroys ? "Irreversible: accept these one by one." : null,
    ].filter((note) => note !== null),
    /** The actions that have a button, each with its key. */
    actions: actions.map((action) => ({ action, key: action.key ?? undefined })),
    /** The button to decline: absent where no request takes it. */
    decline: declines ? (reason === null && noDecline === null ? "on" : "off") : null,
    /** Returns the action of a key, or null if the key does nothing. */
    onKey: (key: "a" | "r" | "d"): BulkAction | null => {
      const action = keyed(key);
      return action && reason === null && (!destroys || action.harmless) ? action : null;
    },
  } as const;
}

/** Why some of the requests are not this person's to answer, or to accept. */
function notAllBy(verb: "answer" | "accept", blockers: (Blocker | null)[]): string | null {
  const found = blockers.filter((blocker) => blocker !== null);
  const [first] = found;
  return first ? `You can’t ${verb} ${found.length} of these (${first.short}). Deselect them first.` : null;
}

/** Returns the ids of open requests in the list that take the same answer, as many as one call takes. */
export function alikeTo(
  first: Pick<InputRequestSummary, "alike"> | undefined,
  rows: { request: Pick<InputRequestSummary, "id" | "state" | "alike">; gone: boolean }[],
): string[] {
  if (!first) return [];
  return rows
    .filter(({ request, gone }) => !gone && request.state === "open" && request.alike === first.alike)
    .map(({ request }) => request.id)
    .slice(0, MOST_AT_ONCE);
}

/** Returns how many requests are marked, and whether a tick or a comment is missing before the answer is sent. */
export function secondLook(
  action: Pick<BulkAction, "harmless">,
  requests: Pick<InputRequestSummary, "warnings">[],
  { seen, comment }: { seen: boolean; comment: string },
): { marked: number; missing: boolean } {
  const marked = action.harmless ? 0 : requests.filter(({ warnings }) => warnings.length > 0).length;
  return { marked, missing: marked > 0 && !seen && comment.trim() === "" };
}
