"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { leadAll } from "@/components/shell/session/leave.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type {
  Deletion,
  Organization,
  FourEyesProposal as Proposal,
} from "@/lib/people/organizations/organization-schema.ts";
import { api, downloadAsPerson, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { organization, organizationKeys, updateOrganization } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { NameForm } from "./name-form.tsx";

const DONE = {
  accept: "A second person is no longer required",
  withdraw: "Withdrawn. A second person stays required",
};

/** The pending proposal to require no second person any more, for whoever may decide on it. */
function FourEyesProposal({ proposal }: { proposal: Proposal }) {
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: (what: keyof typeof DONE) => api.post<Organization>(`/api/v1/organization/four-eyes/${what}`),
    onSuccess: async (saved, what) => {
      await showSaved(client, organizationKeys.organization, saved);
      toast(DONE[what]);
    },
    onError: () => client.invalidateQueries({ queryKey: organizationKeys.organization }),
  });
  const { by, at, takesEffectAt, mayAccept, mayWithdraw } = proposal;
  return (
    <Notice
      tone="wait"
      title={`${actorWords(by, { begins: true })} proposed to require no second person any more`}
    >
      <p>
        <TimeAgo at={at} />. It takes effect in <TimeUntil at={takesEffectAt} over="a moment" />, or at once
        when a second person accepts. Earlier tasks stay under the rule.
      </p>
      {!mayAccept && (
        <p>
          You can’t accept this: {actorWords(by)} counts as one person with you, or is a key of the command
          line that may be yours. Somebody else has to accept.
        </p>
      )}
      {(mayAccept || mayWithdraw) && (
        <div className="mt-2 flex flex-wrap gap-2">
          {mayWithdraw && (
            <Button disabled={decide.isPending} onClick={() => decide.mutate("withdraw")}>
              Withdraw
            </Button>
          )}
          {mayAccept && (
            <Button variant="danger" disabled={decide.isPending} onClick={() => decide.mutate("accept")}>
              Accept: require nobody
            </Button>
          )}
        </div>
      )}
      {decide.error && <p role="alert">{errorSentence(decide.error)}</p>}
    </Notice>
  );
}

const ONE_PERSON =
  "Members count as one person with the member who invited them, until another owner vouches for them.";

/** The rule of a second person. It begins at once; its end is a proposal. */
function FourEyes({ saved }: { saved: Organization }) {
  const me = useMe();
  const update = useSave(organizationKeys.organization, updateOrganization, {
    done: ({ fourEyesProposal }) =>
      fourEyesProposal
        ? "Proposed. A second person is required until somebody else accepts"
        : "A second person is required from now on",
  });
  const isOn = update.isPending ? update.variables.fourEyes === true : saved.fourEyes;
  const { fourEyesProposal: proposal } = saved;
  if (!me.may("settings:manage"))
    return (
      <Section title="Require a second person">
        <p className="text-muted">
          {isOn
            ? `The person who asked for a task may not accept its requests: somebody else has to. ${ONE_PERSON} Declining is always possible.`
            : "Off: people may also accept requests of their own tasks."}
        </p>
      </Section>
    );
  return (
    <Section title="Require a second person">
      <Switch
        checked={isOn}
        disabled={proposal !== null || update.isPending}
        onChange={(fourEyes) => update.mutate({ fourEyes })}
        label="Require a second person"
        description={`The person who asked for a task, also with an API key, may not accept its requests. ${ONE_PERSON} Declining is always possible. Switching it off needs a second person too, or a wait of 72 hours.`}
      />
      {proposal && <FourEyesProposal proposal={proposal} />}
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}

const Addresses = lazyComponent(() => import("./addresses.tsx").then((file) => file.Addresses), {
  loading: () => <div aria-hidden className="skeleton h-40" />,
});

const ContentSealing = lazyComponent(
  () => import("./content-sealing.tsx").then((file) => file.ContentSealing),
  { loading: () => <div aria-hidden className="skeleton h-32" /> },
);

const AllowedHosts = lazyComponent(() => import("./allowed-hosts.tsx").then((file) => file.AllowedHosts), {
  loading: () => null,
});

/** The organization's name, its rules, and how to leave or delete it. */
export function OrganizationScreen() {
  const me = useMe();
  const { data, isError, error, refetch } = useQuery(organization());
  if (!data && isError)
    return <LoadFailure what="The organization" error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div aria-hidden className="flex flex-col gap-6">
        <div className="skeleton h-40" />
        <div className="skeleton h-24" />
      </div>
    );
  return (
    <>
      <NameForm saved={data} />
      <FourEyes saved={data} />
      {me.may("settings:manage") && <PushText saved={data} />}
      {me.may("owners:manage") && <KeysWithoutEnd saved={data} />}
      {me.may("settings:manage") && <Addresses />}
      {me.may("hosts:allow") && <AllowedHosts />}
      {me.may("settings:manage") && <ContentSealing />}
      <LeavePart />
      {me.may("organization:delete") && <DeletePart saved={data} />}
    </>
  );
}

/** Whether push notifications may show questions, for admins. The switch takes effect at once. */
function PushText({ saved }: { saved: Organization }) {
  const update = useSave(organizationKeys.organization, updateOrganization, {
    done: ({ pushText }) =>
      pushText ? "Members may show what is asked" : "Push notifications show only counts",
  });
  const isOn = update.isPending ? update.variables.pushText === true : saved.pushText;
  return (
    <Section title="Push notifications">
      <Switch
        checked={isOn}
        onChange={(pushText) => update.mutate({ pushText })}
        label="Allow the text of questions"
        description="Members then choose it for each device. Otherwise a push notification says only how many requests wait. Text is encrypted for the device, and may appear on a locked screen."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}

/** Whether new API keys may have no end, for owners. The switch takes effect at once. */
function KeysWithoutEnd({ saved }: { saved: Organization }) {
  const update = useSave(organizationKeys.organization, updateOrganization, {
    done: ({ keysWithoutEnd }) =>
      keysWithoutEnd ? "New API keys may have no end" : "New API keys have to end",
  });
  const isOn = update.isPending ? update.variables.keysWithoutEnd === true : saved.keysWithoutEnd;
  return (
    <Section title="API keys">
      <Switch
        checked={isOn}
        onChange={(keysWithoutEnd) => update.mutate({ keysWithoutEnd })}
        label="Allow API keys without an end"
        description="Otherwise a new key ends after a year at most. Keys that have no end today stay as they are."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}

/** Exports all data, then deletes the organization. */
function DeletePart({ saved }: { saved: Organization }) {
  const [asking, setAsking] = useState(false);
  const download = useMutation({
    mutationFn: () => downloadAsPerson("/api/v1/organization/export"),
  });
  return (
    <Section
      title="Export and delete"
      description="Deleting removes every task, request, answer, member, key and line of history for good. It happens 72 hours after an owner asks for it, once no task is open. Export everything in the hour before you ask."
    >
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={download.isPending} onClick={() => download.mutate()}>
          <Download aria-hidden strokeWidth={1.75} />
          Export everything
        </Button>
        {!saved.deletion && (
          <Button variant="danger" onClick={() => setAsking(true)}>
            Delete {saved.name}…
          </Button>
        )}
      </div>
      {saved.deletion && <PendingDeletion deletion={saved.deletion} held={saved.hold !== null} />}
      <p className="text-[13px] text-muted">
        {saved.exportedAt ? (
          <>
            Last exported <TimeAgo at={saved.exportedAt} />.
          </>
        ) : (
          "Never exported."
        )}{" "}
        An export holds no secrets: no keys, tokens or passwords.
      </p>
      {download.error && <Notice live tone="bad" title={errorSentence(download.error)} />}
      <DeleteDialog saved={saved} open={asking} onOpenChange={setAsking} />
    </Section>
  );
}

/** The deletion that waits, for owners, each of whom may take it back. */
function PendingDeletion({ deletion, held }: { deletion: Deletion; held: boolean }) {
  const router = useRouter();
  const withdraw = useSave(
    organizationKeys.organization,
    () => api.post<Organization>("/api/v1/organization/deletion/withdraw"),
    { done: "Taken back. The organization stays", onDone: () => router.refresh() },
  );
  const { by, at, takesEffectAt } = deletion;
  return (
    <Notice tone="bad" title={`${actorWords(by, { begins: true })} asked to delete this organization`}>
      <p>
        <TimeAgo at={at} />. Everything is deleted {held ? "once the legal hold is lifted and " : ""}
        <TimeUntil at={takesEffectAt} over="as soon as no task is open" />. Until then it works as before.
      </p>
      <div className="mt-2">
        <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
          Take it back
        </Button>
      </div>
      {withdraw.error && <p role="alert">{errorSentence(withdraw.error)}</p>}
    </Notice>
  );
}

/** Leaves the organization. */
function LeavePart() {
  const me = useMe();
  const [asking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: () => api.delete("/api/v1/me/membership"),
    onSuccess: () => leadAll("/"),
  });
  const { name } = me.organization;
  return (
    <Section title="Leave" description="You can come back only by invitation. The last owner can’t leave.">
      <span>
        <Button variant="danger" onClick={() => setAsking(true)}>
          Leave {name}…
        </Button>
      </span>
      <ConfirmDialog
        open={asking}
        onOpenChange={() => {
          setAsking(false);
          leave.reset();
        }}
        title={`Leave ${name}?`}
        description="You lose access at once, in every tab. Your account stays."
        confirm="Leave"
        destructive
        pending={leave.isPending || leave.isSuccess}
        onConfirm={() => leave.mutate()}
      >
        <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
          <li>API keys that you made stop working.</li>
          <li>Requests that you claimed, or were assigned, are open to everybody again.</li>
          <li>Your decisions stay, under your name.</li>
        </ul>
        {leave.error && (
          <Notice live tone="bad" title={errorSentence(leave.error)}>
            <p>You are still a member.</p>
          </Notice>
        )}
      </ConfirmDialog>
    </Section>
  );
}
