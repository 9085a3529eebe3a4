"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import type { AuditStreamTest } from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { auditStreamFailure } from "@/lib/outbound/audit-streams/audit-stream-words.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { auditStreamKeys } from "@/lib/web/client/outbound.ts";

/** A mutation of audit streams, which refetches them. Shows `done` as a toast on success. */
export function useAuditStreamAction<Input = void>(call: (input: Input) => Promise<unknown>, done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: () => {
      toast(done);
      return client.invalidateQueries({ queryKey: auditStreamKeys.all });
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
}

/** Sends a test line, and says whether it arrived. */
export function useAuditStreamTest(id: string) {
  return useMutation({
    mutationFn: () => api.post<AuditStreamTest>(`/api/v1/audit-streams/${id}/test`),
    onSuccess: ({ error }) => {
      if (error === null) toast("The test line arrived");
      else toast.error(auditStreamFailure(error));
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
}

export const auditStreamApi = {
  update: (id: string, change: object) => api.patch(`/api/v1/audit-streams/${id}`, change),
  remove: (id: string) => api.delete(`/api/v1/audit-streams/${id}`),
};
