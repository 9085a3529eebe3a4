"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";

/** Saves a setting, and puts the server's reply into the query cache. */
export function useSave<T>(path: string, queryKey: QueryKey, done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: T) => api.put<T>(path, value),
    onSuccess: async (saved) => {
      await showSaved(client, queryKey, saved);
      toast(done);
    },
  });
}
