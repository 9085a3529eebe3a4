"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { loadWhenTouched, loadWithRetry } from "@/components/ui/lazy-component.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { AnswerInput } from "@/lib/requests/request-input-schema.ts";
import type { Draft, InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { undoWindow } from "@/lib/web/client/organization.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";
import { goToRequest } from "../toolbar/use-inbox-place.ts";
import { answerErrorOf } from "./answer-error.ts";
import type { Decided } from "./decided.ts";
import {
  addDecided,
  beginRecording,
  endRecording,
  goOnFrom,
  isLeft,
  isRefused,
  useRecording,
  useRefused,
} from "./decision-store.ts";
import { showInLists } from "./show-in-lists.ts";

const loadFollow = () => import("./follow-delivery.tsx").then((file) => file.followDelivery);
loadWhenTouched(loadFollow);

/**
 * Sends a decision, bound to the question on the screen. The next request opens at once; the last one of a list stays
 * until the server has recorded the decision. A request whose decision was refused comes back with what was typed. People
 * who have done something else meanwhile stay where they are, and are told.
 */
export function useDecide(question: InputRequestDetail) {
  const client = useQueryClient();
  const router = useRouter();
  const me = useMe();
  useQuery(undoWindow());
  const { id } = question;
  useEffect(() => {
    onScreen.add(id);
    return () => void onScreen.delete(id);
  }, [id]);

  const record = async (decided: Decided, typed: Draft | null) => {
    const activity = watchUserActivity();
    const name = requestName(question);
    const unsettled = { id, duration: Number.POSITIVE_INFINITY };
    toast(`Recording your decision on ${name}…`, { ...unsettled, dismissible: false });
    // The browser asks before it closes a page whose decision is not recorded.
    const askToStay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", askToStay);
    try {
      // Waits for the organization's own undo window: an answer must not leave sooner than people expect.
      const { holdMs } = await client.ensureQueryData(undoWindow());
      const request = await api.post<InputRequestDetail>(`/api/v1/input-requests/${id}/answer`, {
        ...decided,
        questionHash: question.questionHash,
        holdMs,
      } satisfies AnswerInput);
      client.setQueryData(requestDetail(id).queryKey, request);
      showInLists(client, request);
      loadWithRetry(loadFollow).then(
        (follow) => follow(client, request, { question, decided, holdMs }),
        () => toast(`Your decision on ${name} is recorded`, { id, duration: 6_000, dismissible: true }),
      );
      endRecording(id, null);
      if (request.answer) addDecided([id]);
      if (!activity.seen()) goOnFrom(id);
    } catch (thrown) {
      const error = answerErrorOf(thrown, me.user.id);
      endRecording(id, { questionHash: question.questionHash, decided, error, draft: typed });
      if (onScreen.has(id) && !isLeft(id)) toast.dismiss(id);
      else if (!activity.seen()) {
        toast.dismiss(id);
        goOnFrom(id, "refused");
      } else
        toast.error(`${name}: ${error.title} ${error.detail}`, {
          ...unsettled,
          closeButton: true,
          dismissible: true,
          action: { label: "Open it", onClick: () => goToRequest(id, router.push) },
        });
    } finally {
      window.removeEventListener("beforeunload", askToStay);
      activity.stop();
      void client.invalidateQueries({ queryKey: requestKeys.detail(id) });
      void client.invalidateQueries({ queryKey: requestKeys.lists });
      void client.invalidateQueries({ queryKey: taskKeys.task(question.taskId) });
    }
  };
  return {
    /** The decision being recorded. */
    answer: useRecording()[id] ?? null,
    /** The last decision, if the server did not record it. */
    refused: useRefused()[id],
    /** `typed`: what is given back if the server refuses the decision. */
    send: (decided: Decided, typed: Draft | null) => {
      if (!beginRecording(id, decided)) return;
      void record(decided, typed);
      // After a dialog has closed, which gives the focus back. A decision that was refused by then stays in view.
      requestAnimationFrame(() => isRefused(id) || goOnFrom(id, "recording"));
    },
  };
}

/** The requests whose answer areas are mounted: a refused decision is told there. */
const onScreen = new Set<string>();

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
