"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Clock } from "lucide-react";
import { useState } from "react";
import { InvitationMade } from "@/components/people/invitation-made.tsx";
import { RoleChange } from "@/components/people/role-change.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeUntil } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Role } from "@/lib/access/roles.ts";
import type {
  Invitation,
  NewInvitation,
  UpdateInvitation,
} from "@/lib/people/invitations/invitation-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { invitationList, organizationKeys } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

/** Invitations that nobody has accepted yet. */
export function Invitations() {
  const client = useQueryClient();
  const invitations = useQuery(invitationList());
  const [renewed, setRenewed] = useState<NewInvitation | null>(null);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const reread = () => client.invalidateQueries({ queryKey: organizationKeys.invitations });
  const change = useMutation({
    mutationFn: ({ id, ...input }: { id: string } & UpdateInvitation) =>
      api.patch<NewInvitation>(`/api/v1/invitations/${id}`, input),
    onSuccess: (invitation, { renew }) =>
      renew ? setRenewed(invitation) : toast(`${invitation.email} is invited as ${invitation.role}`),
    onSettled: reread,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => api.delete(`/api/v1/invitations/${id}`),
    onSuccess: () => {
      toast("The invitation was revoked");
      setRevoking(null);
    },
    onSettled: reread,
  });
  if (invitations.isError && !invitations.data)
    return (
      <LoadFailure
        what="The invitations"
        error={invitations.error}
        onRetry={() => void invitations.refetch()}
      />
    );
  const list = invitations.data?.items;
  return (
    <Section
      title="Invitations"
      description="Invitations that nobody has accepted yet. Each link works once, for a week."
    >
      {change.error && <Notice live tone="bad" title={errorSentence(change.error)} />}
      {!list && <div aria-hidden className="skeleton h-16" />}
      {list?.length === 0 && <p className="text-muted">No pending invitations</p>}
      {list && list.length > 0 && (
        <ul aria-label="Invitations" className="flex flex-col divide-y divide-line">
          {list.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              pending={change.isPending && change.variables.id === invitation.id}
              onRole={(role) => change.mutate({ id: invitation.id, role })}
              onRenew={() => change.mutate({ id: invitation.id, renew: true })}
              onRevoke={() => setRevoking(invitation)}
            />
          ))}
        </ul>
      )}
      <Dialog
        open={renewed !== null}
        onOpenChange={() => setRenewed(null)}
        title="A new link"
        description={
          renewed?.url ? "The old one has ended. Send this one yourself." : "The old one has ended."
        }
      >
        {renewed && <InvitationMade made={renewed} onDone={() => setRenewed(null)} />}
      </Dialog>
      <ConfirmDialog
        open={revoking !== null}
        onOpenChange={() => {
          setRevoking(null);
          revoke.reset();
        }}
        title="Revoke the invitation?"
        description={`The link for ${revoking?.email ?? "this address"} stops working at once.`}
        confirm="Revoke"
        destructive
        pending={revoke.isPending}
        onConfirm={() => revoking && revoke.mutate(revoking.id)}
      >
        {revoke.error && <Notice live tone="bad" title={errorSentence(revoke.error)} />}
      </ConfirmDialog>
    </Section>
  );
}

function InvitationRow({
  invitation,
  pending,
  onRole,
  onRenew,
  onRevoke,
}: {
  invitation: Invitation;
  pending: boolean;
  onRole: (role: Role) => void;
  onRenew: () => void;
  onRevoke: () => void;
}) {
  const me = useMe();
  const { email, role, invitedBy, expired, expiresAt, mailed } = invitation;
  const mayTouch = role !== "owner" || me.may("owners:manage");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-0 flex-1 max-md:basis-full">
        <span className="block truncate font-medium">{email}</span>
        <span className="flex flex-wrap items-center gap-x-1.5 text-muted text-xs">
          {invitedBy && <span>by {invitedBy.name} ·</span>}
          {mailed && <span>by e-mail ·</span>}
          {expired ? (
            <Badge tone="wait" icon={Clock}>
              Expired
            </Badge>
          ) : (
            <span>
              <TimeUntil at={expiresAt} over="0 min" /> left
            </span>
          )}
        </span>
      </span>
      {mayTouch ? (
        <span className="flex flex-wrap items-center gap-2 max-md:w-full">
          <RoleChange label={`Role for ${email}`} role={role} pending={pending} onSave={onRole} />
          <Button
            className="max-md:flex-1"
            disabled={pending}
            aria-label={`New link for ${email}`}
            onClick={onRenew}
          >
            New link
          </Button>
          <Button
            variant="danger"
            className="max-md:flex-1"
            aria-label={`Revoke the invitation of ${email}`}
            onClick={onRevoke}
          >
            Revoke…
          </Button>
        </span>
      ) : (
        <span className="px-3 text-muted">{capitalise(role)}</span>
      )}
    </li>
  );
}
