"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { sessions } from "@/lib/api-client/account.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";

/**
 * Offers to end the other sessions after a way to sign in changed: whoever holds one of them came in by the ways of
 * before. A new password ends them by itself.
 */
export function EndOthersOffer({
  changed,
  others,
  onDone,
}: {
  /** What changed, as a sentence without its full stop. */
  changed: string;
  /** How many other sessions there are. */
  others: number;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => api.delete("/api/v1/me/sessions"),
    onSuccess: () => {
      toast("All other sessions ended");
      onDone();
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: sessions().queryKey }),
  });
  return (
    <Notice
      live
      tone="wait"
      title={`${changed}. You are signed in in ${others === 1 ? "one other place" : `${others} other places`}`}
      action={
        <span className="flex flex-wrap gap-2">
          <Button disabled={end.isPending} onClick={() => end.mutate()}>
            {others === 1 ? "End the other session" : `End the ${others} other sessions`}
          </Button>
          <Button variant="ghost" disabled={end.isPending} onClick={onDone}>
            Keep {others === 1 ? "it" : "them"}
          </Button>
        </span>
      }
    >
      <p>Sessions that were opened before stay signed in. End them unless all of them are yours.</p>
    </Notice>
  );
}
