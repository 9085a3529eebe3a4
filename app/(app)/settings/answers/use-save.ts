"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { api } from "@/lib/api-client/base/client.ts";

/** Puts a setting, and shows what the server made of it wherever it is used. */
export function useSave<T>(path: string, queryKey: QueryKey, done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: T) => api.put<T>(path, value),
    onSuccess: (saved) => {
      client.setQueryData(queryKey, saved);
      toast(done);
    },
  });
}
