"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, errorSentence } from "@/components/api/client.ts";
import { requestDetail, requestKeys } from "@/components/api/requests.ts";
import { taskKeys } from "@/components/api/tasks.ts";
import { toast } from "@/components/ui/toast.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { useClaimAlive } from "./use-claim-alive.ts";

export type ClaimStep = "claim" | "release" | "take-over";

/** Takes a request for oneself, gives it back, or (operators) takes it from someone else. Keeps one's own claim alive. */
export function useClaim(request: InputRequestDetail, mine: boolean) {
  const client = useQueryClient();
  const path = `/api/v1/input-requests/${request.id}`;
  const mutation = useMutation({
    mutationFn: async (step: ClaimStep) => {
      if (step !== "claim") await api.post(`${path}/release`);
      if (step === "release") return null;
      return api.post<InputRequestDetail>(`${path}/claim`);
    },
    onSuccess: (now, step) => {
      if (now) client.setQueryData(requestDetail(request.id).queryKey, now);
      toast(saidOf(step, request), { id: `claim:${request.id}` });
    },
    onError: (error) => toast.error(errorSentence(error), { id: `claim:${request.id}` }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: requestKeys.detail(request.id) }),
        client.invalidateQueries({ queryKey: requestKeys.lists }),
        client.invalidateQueries({ queryKey: taskKeys.task(request.taskId) }),
      ]),
  });
  useClaimAlive(request, mine, mutation.isPending || mutation.variables === "release");
  return mutation;
}

function saidOf(step: ClaimStep, request: InputRequestDetail): string {
  switch (step) {
    case "claim":
      return "Claimed: others see that you are on it";
    case "release":
      return "Released for others";
    case "take-over":
      return `Taken over from ${request.claimedBy?.name ?? "its holder"}: it is yours now`;
  }
}
