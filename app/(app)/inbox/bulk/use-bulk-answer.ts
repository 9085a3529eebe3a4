"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type {
  AnswerInput,
  BulkAnswerInput,
  BulkAnswerResult,
  BulkUndoResult,
} from "@/lib/requests/request-input-schema.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { ApiError, api, ConnectionError, errorSentence } from "@/lib/web/client/base/client.ts";
import { undoWindow } from "@/lib/web/client/organization.ts";
import { addDecided } from "../answer/decision-store.ts";
import { afterUndo, type BulkOutcome } from "./bulk-outcome.ts";

/** Sends one answer for all requests, each bound to the question that was read, and undoes the held ones. */
export function useBulkAnswer(requests: InputRequestSummary[]) {
  const client = useQueryClient();
  useQuery(undoWindow());
  const [results, setResults] = useState<BulkOutcome[] | null>(null);
  const [heldUntil, setHeldUntil] = useState(0);
  // Includes the open request, which may be one of them.
  const refresh = () => client.invalidateQueries({ queryKey: ["input-requests"] });

  const answer = useMutation({
    mutationFn: async (given: Pick<AnswerInput, "action" | "content" | "comment">) => {
      const { holdMs } = await client.ensureQueryData(undoWindow());
      const reply = await api.post<BulkAnswerResult>("/api/v1/input-requests/bulk-answer", {
        ...given,
        items: requests.map(({ id, questionHash }) => ({ id, questionHash })),
        holdMs,
      } satisfies BulkAnswerInput);
      return { ...reply, holdMs };
    },
    onSuccess: ({ holdMs, ...reply }) => {
      setResults(reply.results);
      setHeldUntil(Date.now() + holdMs);
      addDecided(reply.results.filter((each) => each.status === "recorded").map((each) => each.id));
    },
    onSettled: refresh,
  });

  const undo = useMutation({
    mutationFn: (ids: string[]) => api.post<BulkUndoResult>("/api/v1/input-requests/bulk-undo", { ids }),
    onSuccess: (reply) => setResults((before) => before && afterUndo(before, reply.results)),
    onSettled: refresh,
  });

  return { answer, undo, results, heldUntil, problem: problemOf(answer.error) };
}

function problemOf(error: Error | null) {
  if (error instanceof ApiError && error.status < 500)
    return { title: error.title, detail: error.detail ?? "Nothing was recorded.", errors: error.errors };
  if (error instanceof ApiError)
    return {
      title: "Some answers may not be recorded.",
      detail: `${errorSentence(error)} ${AGAIN}`,
      errors: [],
    };
  if (error instanceof ConnectionError && error.sent === null)
    return { title: "No reply came from Intray.", detail: AGAIN, errors: [] };
  return { title: "Nothing was recorded.", detail: errorSentence(error), errors: [] };
}

/** Shown when the reply was lost: the recorded answers are unknown. */
const AGAIN =
  "Requests whose answers were recorded have left the list. You can try again: no request is answered twice.";
