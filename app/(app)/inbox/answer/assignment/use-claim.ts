"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/api-client/requests.ts";
import { taskKeys } from "@/lib/api-client/tasks/task-keys.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

export type ClaimStep = "claim" | "release" | "take-over";

/** Takes a request for oneself, gives it back, or (operators) takes it from someone else. */
export function useClaim(request: InputRequestDetail) {
  const client = useQueryClient();
  const path = `/api/v1/input-requests/${request.id}`;
  const [step, setStep] = useState<ClaimStep | null>(null);
  const [pending, setPending] = useState(false);
  const id = `claim:${request.id}`;
  const take = async (wanted: ClaimStep) => {
    setStep(wanted);
    setPending(true);
    try {
      if (wanted !== "claim") await api.post(`${path}/release`);
      if (wanted !== "release") {
        const now = await api.post<InputRequestDetail>(`${path}/claim`);
        client.setQueryData(requestDetail(request.id).queryKey, now);
      }
      toast(saidOf(wanted, request), { id });
    } catch (error) {
      toast.error(errorSentence(error), { id });
    }
    await Promise.all([
      client.invalidateQueries({ queryKey: requestKeys.detail(request.id) }),
      client.invalidateQueries({ queryKey: requestKeys.lists }),
      client.invalidateQueries({ queryKey: taskKeys.task(request.taskId) }),
    ]);
    setPending(false);
  };
  // From the first claim on: also its end is told.
  const [claimed, setClaimed] = useState(false);
  if (request.claimedBy && !claimed) setClaimed(true);
  return {
    take: (wanted: ClaimStep) => void take(wanted),
    /** There is or was a claim, anyone’s, while this was on the screen. */
    claimed,
    /** One’s own ends because one gives it back. */
    given: pending || step === "release",
  };
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
