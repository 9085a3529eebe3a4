"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "sonner";
import { api, errorSentence } from "@/components/api/client.ts";
import { requestKeys } from "@/components/api/requests.ts";
import { taskKeys } from "@/components/api/tasks.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** Takes a request for oneself, or gives it back. */
export function useClaim(request: InputRequestDetail, mine: boolean) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post(`/api/v1/input-requests/${request.id}/${mine ? "release" : "claim"}`),
    onSuccess: () => toast(mine ? "Released for others" : "Claimed: others see that you are on it"),
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: requestKeys.detail(request.id) }),
        client.invalidateQueries({ queryKey: requestKeys.lists }),
        client.invalidateQueries({ queryKey: taskKeys.task(request.taskId) }),
      ]),
  });
}
