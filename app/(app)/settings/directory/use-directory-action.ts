"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { directoryKeys } from "@/lib/web/client/identity.ts";

/** A mutation of the directory, which refetches it. Shows `done` as a toast on success, if it says something. */
export function useDirectoryAction<Input, Output>(call: (input: Input) => Promise<Output>, done?: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: () => {
      if (done) toast(done);
      return client.invalidateQueries({ queryKey: directoryKeys.all });
    },
  });
}
