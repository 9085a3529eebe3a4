"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "@/components/ui/toast/toast.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

export type ClaimStep = "claim" | "release" | "take-over";

/** Claims a request, releases the claim, or (operators) takes over another person's claim. */
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
      if (wanted === "release") await api.post(`${path}/release`);
      else {
        const body = wanted === "take-over" ? { takeOver: request.claimedBy?.at } : {};
        const now = await api.post<InputRequestDetail>(`${path}/claim`, body);
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
  // Stays set from the first claim on, so that the end of a claim is announced too.
  const [claimed, setClaimed] = useState(false);
  if (request.claimedBy && !claimed) setClaimed(true);
  return {
    take: (wanted: ClaimStep) => void take(wanted),
    /** Whether anyone has claimed the request since the pane opened. */
    claimed,
    /** Whether the user's claim ends because the user releases it. */
    given: pending || step === "release",
  };
}

function saidOf(step: ClaimStep, request: InputRequestDetail): string {
  switch (step) {
    case "claim":
      return "Claimed. Others see that you are working on this request";
    case "release":
      return "Released for others";
    case "take-over":
      return `You took over the claim from ${request.claimedBy?.name ?? "the person who had it"}`;
  }
}
