"use client";

import { useMutation } from "@tanstack/react-query";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import type { Member, ViewAs } from "@/lib/members/schema.ts";

/** Says what looking as a member is before it begins, since it is noted. */
export function ViewAsDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const begin = useMutation({
    mutationFn: () => api.post<ViewAs>(`/api/v1/members/${member.id}/view-as`),
    // A full load, so that nothing cached for oneself is shown.
    onSuccess: () => window.location.assign("/inbox"),
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`View as ${member.name}?`}
      description={`You see the inbox and the tasks as ${member.name} does, read only, for 15 minutes. Private tasks, drafts, saved views, API keys, sessions and notification settings are not shown. It is recorded in Activity.`}
      confirm="Start viewing"
      pending={begin.isPending}
      onConfirm={() => begin.mutate()}
    >
      {begin.error && <Notice live tone="bad" title={errorSentence(begin.error)} />}
    </ConfirmDialog>
  );
}
