"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { InviteDialog } from "@/components/people/invite-dialog.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationKeys, suspendedList } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";
import { Invitations } from "./invitations.tsx";
import { Members, RemoveDialog } from "./members.tsx";

/** The members and the invitations. */
export function MembersScreen() {
  const me = useMe();
  const [inviting, setInviting] = useState(false);
  if (!me.may("members:manage")) return <Notice title="Only admins manage members.">Ask one of them.</Notice>;
  const invite = (
    <Button variant="primary" onClick={() => setInviting(true)}>
      <UserPlus aria-hidden strokeWidth={1.75} />
      Invite…
    </Button>
  );
  return (
    <>
      <Members invite={invite} />
      <SuspendedMembers />
      <Invitations />
      <InviteDialog open={inviting} onOpenChange={setInviting} />
    </>
  );
}

/** Members who are suspended. Nothing while there are none. */
function SuspendedMembers() {
  const client = useQueryClient();
  const members = useQuery(suspendedList());
  const [removing, setRemoving] = useState<Member | null>(null);
  const reinstate = useMutation({
    mutationFn: ({ id }: Member) => api.post<Member>(`/api/v1/members/${id}/reinstate`),
    onSuccess: ({ name, role }) => toast(`${name} is back as ${role}`),
    onSettled: () => client.invalidateQueries({ queryKey: organizationKeys.members }),
  });
  if (members.isError && !members.data)
    return (
      <LoadFailure
        what="The suspended members"
        error={members.error}
        onRetry={() => void members.refetch()}
      />
    );
  const list = members.data?.items ?? [];
  if (list.length === 0 && !removing) return null;
  return (
    <Section
      title="Suspended"
      description="They can’t sign in here. Reinstating brings their role back; API keys and server sign-ins stay ended."
    >
      {reinstate.error && <Notice live tone="bad" title={errorSentence(reinstate.error)} />}
      <ul aria-label="Suspended members" className="flex flex-col divide-y divide-line">
        {list.map((member) => (
          <SuspendedRow
            key={member.id}
            member={member}
            pending={reinstate.isPending}
            onReinstate={() => reinstate.mutate(member)}
            onRemove={() => setRemoving(member)}
          />
        ))}
      </ul>
      {members.data?.nextCursor && <p className="text-[13px] text-muted">These are the first 200.</p>}
      {removing && <RemoveDialog member={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function SuspendedRow({
  member: { name, email, role, proven, suspended },
  pending,
  onReinstate,
  onRemove,
}: {
  member: Member;
  pending: boolean;
  onReinstate: () => void;
  onRemove: () => void;
}) {
  const me = useMe();
  const mayTouch = role !== "owner" || me.may("owners:manage");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span
        aria-hidden
        className="grid size-8 shrink-0 place-items-center rounded-full bg-sunken font-semibold text-muted text-xs"
      >
        {name.charAt(0).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {name} <span className="font-normal text-muted">· {capitalise(role)}</span>
        </span>
        <span className="block truncate text-muted text-xs">{email}</span>
        {suspended && (
          <span className="block text-muted text-xs">
            Suspended by {suspended.cause === "directory" ? `the directory (${suspended.by})` : suspended.by}{" "}
            <TimeAgo at={suspended.at} />
            {suspended.cause === "directory" && ". It suspends them again unless they are active there."}
          </span>
        )}
        {!proven && <span className="block text-wait text-xs">E-mail not confirmed</span>}
      </span>
      {mayTouch && (
        <span className="flex gap-2 max-md:w-full max-md:pl-11 max-md:*:flex-1">
          <Button disabled={pending} aria-label={`Reinstate ${name}`} onClick={onReinstate}>
            Reinstate
          </Button>
          <Button variant="danger" aria-label={`Remove ${name}`} onClick={onRemove}>
            Remove…
          </Button>
        </span>
      )}
    </li>
  );
}
