"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Input } from "@/components/ui/input.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Role } from "@/lib/access/roles.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { memberList, organizationKeys } from "@/lib/api-client/organization.ts";
import type { Member } from "@/lib/members/schema.ts";
import { Section } from "../section.tsx";
import { type Asked, MemberRow } from "./member-row.tsx";
import { PasswordLinkDialog } from "./password-link-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { SessionsDialog } from "./sessions-dialog.tsx";
import { SuspendDialog } from "./suspend-dialog.tsx";
import { TakeVouchBackDialog } from "./take-vouch-back-dialog.tsx";
import { ViewAsDialog } from "./view-as-dialog.tsx";
import { VouchDialog } from "./vouch-dialog.tsx";

const AwayDialog = lazyComponent(() => import("./away-dialog.tsx").then((file) => file.AwayDialog));

/** The dialog of each thing that is asked for in a row's menu. */
const DIALOGS = {
  suspend: SuspendDialog,
  sessions: SessionsDialog,
  password: PasswordLinkDialog,
  unvouch: TakeVouchBackDialog,
  away: AwayDialog,
};

/** From this number of members on, the list has a search field. */
const LONG = 8;

export function Members({ invite }: { invite: ReactNode }) {
  const client = useQueryClient();
  const [q, setQ] = useState("");
  const [removing, setRemoving] = useState<Member | null>(null);
  const [vouching, setVouching] = useState<Member | null>(null);
  const [viewing, setViewing] = useState<Member | null>(null);
  const [asked, setAsked] = useState<{ what: Asked; member: Member } | null>(null);
  const members = useQuery(memberList(q.trim()));
  const change = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) =>
      api.patch<Member>(`/api/v1/members/${member.id}`, { role }),
    onSuccess: ({ name, role }) => toast(`${name} is ${role} from now on`),
    onSettled: () => client.invalidateQueries({ queryKey: organizationKeys.members }),
  });
  if (members.isError && !members.data)
    return <LoadFailure what="The members" error={members.error} onRetry={() => void members.refetch()} />;
  const list = members.data?.items;
  const AskedDialog = asked && DIALOGS[asked.what];
  const isUnproven = list?.some(({ proven }) => !proven) === true;
  const isLong = q !== "" || (list?.length ?? 0) > LONG;
  return (
    <Section
      title="Members"
      description="Everybody who works in this organization, and what they may do."
      action={invite}
    >
      {isUnproven && (
        <p className="text-muted text-xs">
          “Address not proved”: nobody has shown yet that the address is theirs. A mailed link to a password,
          or one from whoever runs Intray, does.
        </p>
      )}
      {isLong && (
        <span className="relative">
          <Search
            aria-hidden
            strokeWidth={1.75}
            className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
          />
          <Input
            type="search"
            aria-label="Search members"
            placeholder="Name or e-mail"
            value={q}
            onChange={(event) => setQ(event.target.value)}
            className="pl-8"
          />
        </span>
      )}
      {change.error && <Notice live tone="bad" title={errorSentence(change.error)} />}
      {!list && <div aria-hidden className="skeleton h-32" />}
      {list && (
        <ul aria-label="Members" className="flex flex-col divide-y divide-line">
          {list.map((member) => (
            <MemberRow
              key={member.id}
              member={member}
              pending={change.isPending && change.variables.member.id === member.id}
              onRole={(role) => change.mutate({ member, role })}
              onView={() => setViewing(member)}
              onVouch={() => setVouching(member)}
              onAsk={(what) => setAsked({ what, member })}
              onRemove={() => setRemoving(member)}
            />
          ))}
        </ul>
      )}
      {list?.length === 0 && <p className="text-muted">Nobody’s name or address has “{q}” in it.</p>}
      {members.data?.nextCursor && (
        <p className="text-[13px] text-muted">These are the first 200. Search for the others.</p>
      )}
      {vouching && <VouchDialog member={vouching} onClose={() => setVouching(null)} />}
      {viewing && <ViewAsDialog member={viewing} onClose={() => setViewing(null)} />}
      {AskedDialog && <AskedDialog member={asked.member} onClose={() => setAsked(null)} />}
      <RemoveDialog member={removing} onClose={() => setRemoving(null)} />
    </Section>
  );
}
