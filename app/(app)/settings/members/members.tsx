"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Input } from "@/components/ui/field.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Role } from "@/lib/access/roles.ts";
import type { Member, MemberPasswordLink, ViewAs } from "@/lib/people/members/member-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { memberList, organizationKeys } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";
import { type Asked, MemberRow } from "./member-row.tsx";
import { SessionsDialog } from "./sessions-dialog.tsx";

const AwayDialog = lazyComponent(() => import("./away-dialog.tsx").then((file) => file.AwayDialog));

/** The dialog of each thing that is asked for in a row. */
const DIALOGS = {
  view: ViewAsDialog,
  vouch: VouchDialog,
  remove: RemoveDialog,
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
          “E-mail not confirmed”: until they confirm their e-mail, these accounts can join no other
          organization. A password link confirms it: one from a mail, or from the person who runs Intray.
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
              onAsk={(what) => setAsked({ what, member })}
            />
          ))}
        </ul>
      )}
      {list?.length === 0 && <p className="text-muted">Nobody’s name or address has “{q}” in it.</p>}
      {members.data?.nextCursor && (
        <p className="text-[13px] text-muted">These are the first 200. Search for the others.</p>
      )}
      {AskedDialog && <AskedDialog member={asked.member} onClose={() => setAsked(null)} />}
    </Section>
  );
}

/** Says what looking as a member is before it begins, since it is noted. */
function ViewAsDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  return (
    <ConfirmChange
      keys={[]}
      call={() => api.post<ViewAs>(`/api/v1/members/${member.id}/view-as`)}
      // A full load, so that nothing cached for oneself is shown.
      onDone={() => window.location.assign("/inbox")}
      onClose={onClose}
      title={`View as ${member.name}?`}
      description={`You see the inbox and the tasks as ${member.name} does, read only, for 15 minutes. Private tasks, drafts, saved views, API keys, sessions and notification settings are not shown. It is recorded in Activity.`}
      confirm="Start viewing"
    />
  );
}

/** Takes back what an owner said of a member. */
function TakeVouchBackDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { name, vouchedBy } = member;
  return (
    <ConfirmChange
      keys={[organizationKeys.members]}
      call={() => api.delete(`/api/v1/members/${member.id}/vouch`)}
      done={`Nobody vouches for ${name} any more`}
      unchanged="Nothing changed."
      onClose={onClose}
      title={`Take the vouching for ${name} back?`}
      description={`${vouchedBy} vouched for ${name}. Without that, ${name} counts as one person with the member who invited them. Where a second person is required, neither may accept what the other asked for.`}
      confirm="Take back"
    >
      <p className="text-muted">Earlier decisions stay. This is recorded in Activity.</p>
    </ConfirmChange>
  );
}

/** Says what vouching means before it is done, since requests may be accepted on the strength of it. */
function VouchDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { name, countsWith } = member;
  return (
    <ConfirmChange
      keys={[organizationKeys.members]}
      call={() => api.post<Member>(`/api/v1/members/${member.id}/vouch`)}
      done={`${name} counts as a person of their own`}
      unchanged="Nothing changed."
      onClose={onClose}
      title={`Vouch for ${name}?`}
      description={`You confirm that ${name} and ${countsWith?.name ?? "the member who invited them"} are two real people. Where a second person is required, each may then accept what the other asked for.`}
      confirm="Vouch"
    >
      <p className="text-muted">
        It is recorded in Activity, and all owners are notified. An owner can take it back.
      </p>
    </ConfirmChange>
  );
}

/** Says what a suspension ends and what stays, before it happens. */
function SuspendDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  return (
    <ConfirmChange
      keys={[organizationKeys.members, organizationKeys.invitations]}
      call={() => api.post<Member>(`/api/v1/members/${member.id}/suspend`)}
      done={`${member.name} is suspended`}
      unchanged="Nobody was suspended."
      onClose={onClose}
      title={`Suspend ${member.name}?`}
      description="They lose access at once, on every screen, until you reinstate them."
      confirm="Suspend"
      destructive
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>Their sessions end here, and API keys that they made stop working for good.</li>
        <li>Requests that they claimed, or were assigned, are open to everybody again.</li>
        <li>Servers that they signed in to need a new sign-in, also for the shared connection.</li>
        <li>Their tasks continue. Their decisions stay, under their name.</li>
        <li>Their role and their preferences come back with them.</li>
      </ul>
    </ConfirmChange>
  );
}

/** Says what a removal ends and what stays, before it happens. */
export function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  return (
    <ConfirmChange
      keys={[organizationKeys.members]}
      call={() => api.delete(`/api/v1/members/${member.id}`)}
      done={`${member.name} was removed`}
      unchanged="Nobody was removed."
      onClose={onClose}
      title={`Remove ${member.name}?`}
      description="They lose access at once, on every screen."
      confirm="Remove"
      destructive
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>API keys that they made stop working.</li>
        <li>Requests that they claimed, or were assigned, are open to everybody again.</li>
        <li>Servers that they signed in to need a new sign-in, also for the shared connection.</li>
        <li>Their decisions stay, under their name.</li>
      </ul>
    </ConfirmChange>
  );
}

/** Makes a link with which a member who forgot the password sets a new one. Says before what it does to the account. */
function PasswordLinkDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const make = useMutation({
    mutationFn: () => api.post<MemberPasswordLink>(`/api/v1/members/${member.id}/password-link`),
  });
  const { name, email } = member;
  if (make.data)
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title="The link is ready"
        description={`Send it to ${name} yourself.`}
      >
        <NewSecret label={`Link for ${email}`} value={make.data.url} onClose={onClose}>
          <p className="text-[13px] text-muted">It is shown only once, and works once, within a day.</p>
        </NewSecret>
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Make a password link for ${name}?`}
      description={`Anybody who opens the link can set a new password for ${email}. They can also get one by mail, with “Forgot your password?” on the sign-in page.`}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>{name} is told that you made it. It is recorded in Activity.</li>
        <li>Their sessions end once it is used. Two-step sign-in stays on.</li>
        <li>
          From then on the account’s e-mail counts as not confirmed. Where a second person is required, {name}{" "}
          and you count as one until an owner vouches.
        </li>
      </ul>
      {make.error && (
        <Notice live tone="bad" title={errorSentence(make.error)}>
          <p>No link was made.</p>
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button variant="primary" disabled={make.isPending} onClick={() => make.mutate()}>
          Make a link
        </Button>
      </DialogActions>
    </Dialog>
  );
}
