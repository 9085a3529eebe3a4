"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { toast } from "sonner";
import { ApiError, api, errorSentence } from "@/components/api/client.ts";
import { requestDetail, requestKeys } from "@/components/api/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { forgetHeld, type Held } from "./held.ts";
import { keepComment } from "./comment-box.tsx";

/** Takes an answer back before it is sent, and leads back to its request with what was filled in. */
export function useUndo() {
  const client = useQueryClient();
  const router = useRouter();
  return async (requestId: string) => {
    const held = forgetHeld(requestId);
    try {
      const request = await api.post<InputRequestDetail>(`/api/v1/input-requests/${requestId}/undo`);
      await restore(client, request, held);
      toast("Taken back. Nothing was sent.", { id: requestId, duration: 4_000 });
      goTo(requestId, router.push);
    } catch (error) {
      void client.invalidateQueries({ queryKey: requestKeys.detail(requestId) });
      toast.error(refusalWords(error), { id: requestId, duration: 8_000 });
    }
    void client.invalidateQueries({ queryKey: requestKeys.lists });
  };
}

/** The form is drawn from the draft, the comment from this tab's memory. */
async function restore(client: QueryClient, request: InputRequestDetail, held: Held | null) {
  const { queryKey } = requestDetail(request.id);
  if (held?.comment) keepComment(request.id, held.comment);
  client.setQueryData(queryKey, held?.filled ? { ...request, draft: held.filled } : request);
  if (held?.filled) await api.put(`/api/v1/input-requests/${request.id}/draft`, { content: held.filled });
}

function goTo(requestId: string, push: (href: string) => void) {
  const { pathname, search } = window.location;
  const address = `/inbox/${requestId}`;
  if (pathname === address) return;
  // Within the inbox the history alone is enough, and its filters stay.
  if (pathname.startsWith("/inbox")) window.history.pushState(null, "", `${address}${search}`);
  else push(address);
}

function refusalWords(error: unknown): string {
  if (error instanceof ApiError && error.code === "already_sent")
    return "It was on its way already, so it could not be taken back.";
  return errorSentence(error);
}
