"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toast } from "sonner";
import { ApiError, api, errorSentence } from "@/components/api/client.ts";
import { requestKeys } from "@/components/api/requests.ts";

/** The decision that Z takes back, as long as it is held; kept outside React because the toast outlives the pane. */
let latest: { requestId: string; until: number } | null = null;

export function rememberDecision(requestId: string, holdMs: number) {
  latest = { requestId, until: Date.now() + holdMs };
}

export function undoable(): string | null {
  return latest && Date.now() < latest.until ? latest.requestId : null;
}

/** Takes an answer back before it is sent. */
export function useUndo() {
  const client = useQueryClient();
  return async (requestId: string) => {
    if (latest?.requestId === requestId) latest = null;
    try {
      await api.post(`/api/v1/input-requests/${requestId}/undo`);
      toast("Taken back. Nothing was sent.", { id: requestId, duration: 4_000, action: null });
    } catch (error) {
      const tooLate = error instanceof ApiError && error.code === "already_sent";
      toast.error(tooLate ? "Too late: the answer is already on its way." : errorSentence(error), {
        id: requestId,
      });
    }
    void client.invalidateQueries({ queryKey: requestKeys.detail(requestId) });
    void client.invalidateQueries({ queryKey: requestKeys.lists });
  };
}
