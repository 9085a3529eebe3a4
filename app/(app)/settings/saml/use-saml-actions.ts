"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { samlKeys } from "@/lib/web/client/identity.ts";

/** A mutation of SAML providers, which refetches them. Shows `done` as a toast on success. */
export function useSamlAction<Input = void>(call: (input: Input) => Promise<unknown>, done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: () => {
      toast(done);
      return client.invalidateQueries({ queryKey: samlKeys.all });
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
}

/** Opens the identity provider in a new window. The list is read anew once its person comes back to this one. */
export function useTestSignIn(id: string) {
  return useMutation({
    mutationFn: () => api.post<{ url: string }>(`/api/v1/saml-providers/${id}/test`),
    onSuccess: ({ url }) => {
      if (window.open(url, "_blank", "noopener=false") === null)
        toast.error("The browser does not let this page open a window.");
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
}

export const samlApi = {
  create: (body: object) => api.post("/api/v1/saml-providers", body),
  update: (id: string, change: object) => api.patch(`/api/v1/saml-providers/${id}`, change),
  confirm: (id: string) => api.post(`/api/v1/saml-providers/${id}/confirm`),
  remove: (id: string) => api.delete(`/api/v1/saml-providers/${id}`),
};
