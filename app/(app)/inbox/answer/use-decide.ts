"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { loadWhenTouched, loadWithRetry } from "@/components/ui/load-late.ts";
import type { AnswerInput } from "@/lib/requests/request-input-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { undoWindow } from "@/lib/web/client/answers.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/task-keys.ts";
import type { Decided } from "./decided.ts";
import { addDecided, goOnFrom } from "./decision-store.ts";

const loadFollow = () => import("./follow-delivery.tsx").then((file) => file.followDelivery);
loadWhenTouched(loadFollow);

/**
 * Sends a decision, bound to the question on the screen. Once the server has recorded the decision, the next
 * request opens, unless the person has done something else meanwhile.
 */
export function useDecide(question: InputRequestDetail) {
  const client = useQueryClient();
  useQuery(undoWindow());
  // A ref, because a second press may come before the next render.
  const underWay = useRef(false);
  const [answer, setAnswer] = useState<Decided | null>(null);

  const record = async (decided: Decided, onError: (error: unknown) => void) => {
    const activity = watchUserActivity();
    try {
      // Waits for the organization's own undo window: an answer must not leave sooner than people expect.
      const { holdMs } = await client.ensureQueryData(undoWindow());
      const request = await api.post<InputRequestDetail>(`/api/v1/input-requests/${question.id}/answer`, {
        ...decided,
        questionHash: question.questionHash,
        holdMs,
      } satisfies AnswerInput);
      client.setQueryData(requestDetail(question.id).queryKey, request);
      void loadWithRetry(loadFollow).then((follow) => follow(client, request, { question, decided, holdMs }));
      if (request.answer) addDecided([question.id]);
      if (!activity.seen()) goOnFrom(question.id);
    } catch (error) {
      onError(error);
    } finally {
      underWay.current = false;
      setAnswer(null);
      activity.stop();
      void client.invalidateQueries({ queryKey: requestKeys.detail(question.id) });
      void client.invalidateQueries({ queryKey: requestKeys.lists });
      void client.invalidateQueries({ queryKey: taskKeys.task(question.taskId) });
    }
  };
  return {
    /** The decision being recorded. */
    answer,
    send: (decided: Decided, onError: (error: unknown) => void) => {
      if (underWay.current) return;
      underWay.current = true;
      setAnswer(decided);
      void record(decided, onError);
    },
  };
}

const ACTIVITIES = ["keydown", "pointerdown", "wheel", "popstate"] as const;

/**
 * Reports whether the person has done something since the call: the view must not move away from them then.
 */
function watchUserActivity(): { seen: () => boolean; stop: () => void } {
  let seen = false;
  const note = () => {
    seen = true;
  };
  // Deferred, because the press that decided is still being handled.
  const timer = setTimeout(() => {
    for (const activity of ACTIVITIES)
      window.addEventListener(activity, note, { capture: true, passive: true });
  });
  return {
    seen: () => seen,
    stop: () => {
      clearTimeout(timer);
      for (const activity of ACTIVITIES) window.removeEventListener(activity, note, { capture: true });
    },
  };
}
