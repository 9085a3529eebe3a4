"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";

/** Has a request judged by the policy of now. */
export function JudgeAgainDialog({
  request,
  onDismiss,
}: {
  request: InputRequestDetail;
  onDismiss: () => void;
}) {
  const client = useQueryClient();
  const judge = useMutation({
    mutationFn: () => api.post<InputRequestDetail>(`/api/v1/input-requests/${request.id}/judge-again`),
    onSuccess: (judged) => {
      client.setQueryData(requestDetail(request.id).queryKey, judged);
      toast(wordsOf(request, judged));
      onDismiss();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: requestKeys.lists }),
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title={`Apply the current policy to ${requestName(request)}`}
      description="The request follows an earlier version of the policy. If you continue, it follows the current version. Its votes are discarded, and the people who may vote now decide again. The history records who did this."
    >
      {judge.error && <p role="alert">{errorSentence(judge.error)}</p>}
      <DialogActions>
        <Button onClick={onDismiss}>Close</Button>
        <Button variant="primary" disabled={judge.isPending} onClick={() => judge.mutate()}>
          Apply and vote again
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function wordsOf(before: InputRequestDetail, { approval }: InputRequestDetail): string {
  if (approval?.version === before.approval?.version) return "This version of the policy applies already";
  return approval ? `Rule “${approval.rule}” decides now` : "Any one member decides now, except viewers";
}
