"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "sonner";
import { ApiError, api, errorSentence } from "@/components/api/client.ts";
import { requestKeys } from "@/components/api/requests.ts";
import { taskKeys } from "@/components/api/tasks.ts";
import { TimeUntil } from "@/components/time/time.tsx";
import { decidedWord } from "@/lib/format/decision.ts";
import { endedWords, requestName } from "@/lib/format/requests.ts";
import { formatAgo } from "@/lib/format/time.ts";
import type { AnswerInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { requestStateSchema } from "@/lib/input-requests/schema.ts";
import { rememberDecision, useUndo } from "./use-undo.ts";

/** How long an answer is held, so that a slip can be taken back. */
const HOLD_MS = 5_000;

export interface Refusal {
  title: string;
  detail: string;
  /** Fields that the server did not take. */
  errors: { field: string; message: string }[];
}

/** Sends a decision, bound to the question that is on the screen, and says in the person's words why one is refused. */
export function useDecide(question: InputRequestDetail) {
  const client = useQueryClient();
  const undo = useUndo();
  return useMutation({
    mutationFn: (answer: Pick<AnswerInput, "action" | "content" | "comment">) =>
      api.post(`/api/v1/input-requests/${question.id}/answer`, {
        ...answer,
        questionHash: question.questionHash,
        holdMs: HOLD_MS,
      } satisfies AnswerInput),
    onSuccess: (_, answer) => {
      rememberDecision(question.id, HOLD_MS);
      const until = new Date(Date.now() + HOLD_MS).toISOString();
      toast(
        <span>
          {decidedWord(answer.action, answer.content)} {requestName(question)} · sending in{" "}
          <TimeUntil at={until} over="a moment" />
        </span>,
        {
          id: question.id,
          duration: HOLD_MS,
          action: { label: "Undo (Z)", onClick: () => void undo(question.id) },
        },
      );
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: requestKeys.detail(question.id) }),
        client.invalidateQueries({ queryKey: requestKeys.lists }),
        client.invalidateQueries({ queryKey: taskKeys.task(question.taskId) }),
      ]),
  });
}

/** What to say where the person is when a decision was not taken. */
export function refusalOf(error: unknown): Refusal {
  const api = error instanceof ApiError ? error : null;
  const errors = api?.errors ?? [];
  switch (api?.code) {
    case "already_answered":
      return { title: alreadyWords(api), detail: "Your decision was not recorded; theirs stands.", errors };
    case "question_changed":
      return {
        title: "The question changed before your answer arrived.",
        detail: "Nothing was sent. Read the new question and decide again.",
        errors,
      };
    case "no_longer_open": {
      const state = requestStateSchema.safeParse(api.extra.state);
      const reason = typeof api.extra.reason === "string" ? api.extra.reason : null;
      const words = endedWords(state.data ?? "withdrawn", reason);
      return { title: api.detail ?? `${words.what} Nothing was sent.`, detail: words.next, errors };
    }
    case "claimed_by_other":
      return { title: api.detail ?? "Someone else has claimed this.", detail: "Nothing was sent.", errors };
    case "invalid_content":
      return {
        title: "The server's form does not take this answer.",
        detail: api.detail ?? "Nothing was sent.",
        errors,
      };
    default:
      return {
        title: "Your decision was not recorded.",
        detail: `${errorSentence(error)}${api?.requestId ? ` (Quote ${api.requestId} if you ask for help.)` : ""}`,
        errors,
      };
  }
}

function alreadyWords(error: ApiError): string {
  const { by, at } = error.extra;
  const name = typeof by === "string" ? by : (by as { name?: unknown } | null)?.name;
  const when = typeof at === "string" ? ` ${formatAgo(at, Date.now())}` : "";
  return `${typeof name === "string" ? name : "Someone"} answered this${when}.`;
}
