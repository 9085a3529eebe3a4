"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";

export interface Then<Output> {
  /** Shown as a toast. */
  done?: string | ((output: Output) => string);
  onDone?: (output: Output) => void;
  /** Without it the caller shows the error. */
  onError?: (error: Error) => void;
}

/** A mutation that refetches the queries under `keys`. */
export function useChange<Input = void, Output = unknown>(
  keys: readonly QueryKey[],
  call: (input: Input) => Promise<Output>,
  { done, onDone, onError }: Then<Output> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: async (output) => {
      if (done) toast(typeof done === "string" ? done : done(output));
      onDone?.(output);
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError,
  });
}

/** A mutation whose reply is what the query under `key` would read. */
export function useSave<Input = void, Output = unknown>(
  key: QueryKey,
  call: (input: Input) => Promise<Output>,
  { done, onDone, onError }: Then<Output> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: async (saved) => {
      await showSaved(client, key, saved);
      onDone?.(saved);
      if (done) toast(typeof done === "string" ? done : done(saved));
    },
    onError,
  });
}

/** Shows an error as a toast. */
export function tellError(error: Error): void {
  toast.error(errorSentence(error));
}
