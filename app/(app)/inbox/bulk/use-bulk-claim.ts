"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { plural } from "@/lib/text/labels.ts";

/** Claims one after the other; what others have claimed stays theirs, and is told. */
export function useBulkClaim(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (requests: InputRequestSummary[]) => {
      const refused: string[] = [];
      for (const { id } of requests) {
        try {
          await api.post(`/api/v1/input-requests/${id}/claim`);
        } catch (error) {
          refused.push(errorSentence(error));
        }
      }
      return { claimed: requests.length - refused.length, refused };
    },
    onSuccess: ({ claimed, refused }) => {
      if (claimed > 0) toast(`Claimed ${plural(claimed, "request")}: others see that you are on it`);
      if (refused.length > 0)
        toast.error(`${plural(refused.length, "request")} not claimed`, { description: refused[0] });
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["input-requests"] }),
  });
}
