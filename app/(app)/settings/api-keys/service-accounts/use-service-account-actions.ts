"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import type {
  CreateServiceAccount,
  UpdateServiceAccount,
} from "@/lib/people/service-accounts/service-account-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

const PATH = "/api/v1/service-accounts";

export const serviceAccountApi = {
  create: (input: CreateServiceAccount) => api.post(PATH, input),
  update: (id: string, input: UpdateServiceAccount) => api.patch(`${PATH}/${id}`, input),
  remove: (id: string) => api.delete(`${PATH}/${id}`),
};

/** A change of one account, which its keys show as well. */
export function useServiceAccountAction(send: () => Promise<unknown>, done: string, onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: async () => {
      toast(done);
      await Promise.all([
        client.invalidateQueries({ queryKey: organizationKeys.serviceAccounts }),
        client.invalidateQueries({ queryKey: organizationKeys.apiKeys }),
      ]);
      onDone?.();
    },
  });
}
