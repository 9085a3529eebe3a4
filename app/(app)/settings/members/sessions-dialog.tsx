"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { wayWords } from "@/lib/people/accounts/security-event-words.ts";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { browserWords } from "@/lib/text/browser.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { memberSessions } from "@/lib/web/client/organization.ts";

/** Where a member is signed in and works in this organization. An end holds here alone. */
export function SessionsDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const client = useQueryClient();
  const sessions = useQuery(memberSessions(member.id));
  const end = useMutation({
    mutationFn: (id: string | null) =>
      api.delete(`/api/v1/members/${member.id}/sessions${id ? `/${id}` : ""}`),
    onSuccess: (_, id) => {
      toast(id ? "Session ended" : `${member.name} has to sign in again`);
      if (!id) onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: memberSessions(member.id).queryKey }),
  });
  const list = sessions.data?.items;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Sessions of ${member.name}`}
      description="Where they work in this organization now. If you end a session, they have to sign in again. They are notified."
    >
      {sessions.isError && !list && (
        <LoadFailure what="The sessions" error={sessions.error} onRetry={() => void sessions.refetch()} />
      )}
      {!list && !sessions.isError && <div aria-hidden className="skeleton h-16" />}
      {list?.length === 0 && <p className="text-muted">{member.name} has no session here just now.</p>}
      {list && list.length > 0 && (
        <ul aria-label={`Sessions of ${member.name}`} className="flex flex-col divide-y divide-line">
          {list.map(({ id, userAgent, agent, method, address, createdAt, lastSeenAt }) => (
            <li key={id} className="flex items-center gap-3 py-2.5 first:pt-0">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium" title={userAgent ?? undefined}>
                  {agent === null ? browserWords(userAgent) : `Agent ${agent}`}
                </span>
                <span className="block text-muted text-xs">
                  {wayWords(method)}
                  {address && ` · from ${address}`} · signed in <TimeAgo at={createdAt} /> · last seen{" "}
                  <TimeAgo at={lastSeenAt} />
                </span>
              </span>
              <Button
                size="sm"
                disabled={end.isPending}
                aria-label={`End the session of ${agent ?? browserWords(userAgent)}`}
                onClick={() => end.mutate(id)}
              >
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
      {end.error && <Notice live tone="bad" title={errorSentence(end.error)} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="destructive"
          disabled={end.isPending || list?.length === 0}
          onClick={() => end.mutate(null)}
        >
          End all
        </Button>
      </DialogActions>
    </Dialog>
  );
}
