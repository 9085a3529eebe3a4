"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { toast } from "@/components/ui/toast/toast.ts";
import type { DraftInput } from "@/lib/requests/request-input-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";
import { goToRequest } from "../toolbar/use-inbox-place.ts";
import { forgetRefused, takeUndoable } from "./decision-store.ts";
import { showInLists } from "./show-in-lists.ts";

/** Undoes a held answer, and returns to its request with the form's values restored. */
export function useUndo() {
  const client = useQueryClient();
  const router = useRouter();
  return async (inputRequestId: string) => {
    const draft = takeUndoable(inputRequestId);
    forgetRefused(inputRequestId);
    try {
      const request = await api.post<InputRequestDetail>(`/api/v1/input-requests/${inputRequestId}/undo`);
      toast("Undone. Nothing was sent.", { id: inputRequestId, duration: 4_000, dismissible: true });
      showInLists(client, request);
      await restore(client, request, draft);
      goToRequest(inputRequestId, router.push);
    } catch (error) {
      toast.error(undoErrorWords(error), { id: inputRequestId, duration: 8_000, dismissible: true });
      void client.invalidateQueries({ queryKey: requestKeys.detail(inputRequestId) });
    }
    void client.invalidateQueries({ queryKey: requestKeys.lists });
  };
}

/** Turns the answer into the cached draft, from which the form renders, including the latest edits. */
async function restore(client: QueryClient, request: InputRequestDetail, draft: DraftInput | null) {
  const { queryKey } = requestDetail(request.id);
  if (!draft) return client.setQueryData(queryKey, request);
  const savedAt = new Date().toISOString();
  client.setQueryData(queryKey, {
    ...request,
    draft: { content: draft.content, comment: draft.comment ?? null, savedAt },
  });
  await api.put(`/api/v1/input-requests/${request.id}/draft`, draft);
}

function undoErrorWords(error: unknown): string {
  if (error instanceof ApiError && error.code === "already_sent")
    return "Too late to undo: the answer was already being sent.";
  return errorSentence(error);
}
