"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { webhookKeys } from "@/lib/web/client/outbound.ts";

/** A mutation of webhooks, which refetches their queries. Shows `done` as a toast on success. */
export function useWebhookAction<Input = void, Output = unknown>(
  call: (input: Input) => Promise<Output>,
  done?: string,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: () => {
      if (done) toast(done);
      return client.invalidateQueries({ queryKey: webhookKeys.all });
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
}

export const webhookApi = {
  update: (id: string, change: object) => api.patch(`/api/v1/webhooks/${id}`, change),
  remove: (id: string) => api.delete(`/api/v1/webhooks/${id}`),
  rotate: (id: string) => api.post<{ secret: string }>(`/api/v1/webhooks/${id}/rotate-secret`),
  test: (id: string) => api.post(`/api/v1/webhooks/${id}/test`),
  resend: (deliveryId: string) => api.post(`/api/v1/webhook-deliveries/${deliveryId}/resend`),
};
