"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { insist, loadWhenTouched } from "@/components/ui/load-late.ts";
import { undoWindow } from "@/lib/api-client/answers.ts";
import { api } from "@/lib/api-client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/api-client/requests.ts";
import { taskKeys } from "@/lib/api-client/tasks/task-keys.ts";
import { requestName } from "@/lib/format/requests/requests.ts";
import { decidedWord, decisionOf } from "@/lib/input-requests/decision.ts";
import type { AnswerInput, DraftInput, InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { rememberHeld } from "./undoable-decisions.ts";
import { watchHands } from "./user-activity.ts";

const loadFollow = () => import("./follow-delivery.tsx").then((file) => file.followDelivery);
loadWhenTouched(loadFollow);

export type Decided = Pick<AnswerInput, "action" | "content" | "comment" | "anyWording">;

/**
 * Sends a decision, bound to the question that is on the screen. Once it is recorded, the window hears
 * `intray:decided`, so that the next request opens: `next` is false for someone who has done something else meanwhile.
 */
export function useDecide(question: InputRequestDetail) {
  const client = useQueryClient();
  useQuery(undoWindow());
  // At once, before the first press is drawn: a second one does nothing.
  const underWay = useRef(false);
  const [answer, setAnswer] = useState<Decided | null>(null);

  const record = async (decided: Decided, onError: (error: unknown) => void) => {
    const hands = watchHands();
    try {
      // The organization's own, be it read only now: an answer must not leave sooner than people rely on.
      const { holdMs } = await client.ensureQueryData(undoWindow());
      const request = await api.post<InputRequestDetail>(`/api/v1/input-requests/${question.id}/answer`, {
        ...decided,
        questionHash: question.questionHash,
        holdMs,
      } satisfies AnswerInput);
      client.setQueryData(requestDetail(question.id).queryKey, request);
      if (request.delivery?.state === "held") rememberHeld(question.id, draftOf(question, decided));
      const what = `${decidedWord(decided.action, decided.content)} ${requestName(question)}`;
      void insist(loadFollow).then((follow) => follow(client, request, { what, holdMs }));
      const detail = { id: question.id, next: !hands.moved() };
      window.dispatchEvent(new CustomEvent("intray:decided", { detail }));
    } catch (error) {
      onError(error);
    } finally {
      underWay.current = false;
      setAnswer(null);
      hands.stop();
      void client.invalidateQueries({ queryKey: requestKeys.detail(question.id) });
      void client.invalidateQueries({ queryKey: requestKeys.lists });
      void client.invalidateQueries({ queryKey: taskKeys.task(question.taskId) });
    }
  };
  return {
    /** What is being recorded. */
    answer,
    send: (decided: Decided, onError: (error: unknown) => void) => {
      if (underWay.current) return;
      underWay.current = true;
      setAnswer(decided);
      void record(decided, onError);
    },
  };
}

/** What an undo brings back: a filled-in form and the words beside it; a one-press choice is not taken for granted. */
function draftOf(question: InputRequestDetail, { content, comment }: Decided): DraftInput | null {
  const filled = decisionOf(question.fields).kind === "form" ? (content ?? {}) : {};
  if (Object.keys(filled).length === 0 && !comment) return null;
  return { content: filled, ...(comment && { comment }) };
}
