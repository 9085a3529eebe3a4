"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyRound, Users } from "lucide-react";
import { useState } from "react";
import { useChange } from "@/components/form/change.ts";
import { SecretOnce } from "@/components/people/secret-once.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import {
  DEFAULT_ROLES,
  type Directory,
  type DirectoryGroup,
  MAPPED_ROLES,
} from "@/lib/people/directory/directory-schema.ts";
import { capitalise, plural } from "@/lib/text/labels.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import {
  directoryApi,
  directoryGroupList,
  directoryKeys,
  directoryState,
} from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";

const DIALOGS = {
  make: lazyComponent(() => import("./token-dialogs.tsx").then((file) => file.MakeDialog), { warm: true }),
  rotate: lazyComponent(() => import("./token-dialogs.tsx").then((file) => file.RotateDialog)),
  revoke: lazyComponent(() => import("./token-dialogs.tsx").then((file) => file.RevokeDialog)),
};

/** The address and the token that an identity provider is given. */
function TokenSection({ directory: { url, token } }: { directory: Directory }) {
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  return (
    <Section
      title="Connection"
      description="Your identity provider brings people and groups by SCIM 2.0, and ends their access here at once when it deactivates them."
    >
      <SecretOnce label="Base URL" value={url} quiet />
      {token ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
            <span className="font-medium">Token</span>
            <span className="text-[13px] text-muted">
              Made <TimeAgo at={token.madeAt} />
              {token.rotatedAt && (
                <>
                  {" · "}new secret <TimeAgo at={token.rotatedAt} />
                </>
              )}
              {token.madeBy
                ? ` · by ${token.madeBy.name}`
                : " · by somebody who is no longer a member: rotate it"}
            </span>
            {token.previousUntil && (
              <span className="text-[13px] text-muted">
                The previous secret still works, and ends{" "}
                <TimeUntil at={token.previousUntil} over="any moment" />.
              </span>
            )}
          </span>
          <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
            <Button onClick={() => setAsking("rotate")}>Rotate…</Button>
            <Button variant="danger" onClick={() => setAsking("revoke")}>
              Revoke…
            </Button>
          </span>
        </div>
      ) : (
        <Empty
          icon={KeyRound}
          title="No token yet"
          action={
            <Button variant="primary" onClick={() => setAsking("make")}>
              Make a token…
            </Button>
          }
        >
          The provider signs in with it. There is one for the whole organization.
        </Empty>
      )}
      {Asked && <Asked onClose={() => setAsking(null)} />}
    </Section>
  );
}

/** The identity provider's directory: its token, what its people and groups are worth, and what it did lately. */
export function DirectoryScreen() {
  const me = useMe();
  const mayManage = me.may("directory:manage");
  const directory = useQuery({ ...directoryState(), enabled: mayManage });
  const groups = useQuery({ ...directoryGroupList(), enabled: mayManage });
  if (!mayManage) return <Notice title="Only owners manage the directory.">Ask one of them.</Notice>;
  const failed = [directory, groups].find(({ error, data }) => error && !data);
  if (failed?.error)
    return <LoadFailure what="The directory" error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!directory.data || !groups.data)
    return (
      <>
        <div aria-hidden className="skeleton h-44" />
        <div aria-hidden className="skeleton h-44" />
      </>
    );
  return (
    <>
      <TokenSection directory={directory.data} />
      <PeopleSection directory={directory.data} />
      <GroupsSection groups={groups.data.items} hasToken={directory.data.token !== null} />
      <ActivitySection directory={directory.data} />
    </>
  );
}

/** What the directory did lately: its last call, whom it knows, and what was refused. */
function ActivitySection({ directory }: { directory: Directory }) {
  const { lastCalledAt, lastCalledNetwork, lastCalledAgent, people, failures } = directory;
  return (
    <Section title="Activity" description="The history lists its changes as Directory (SCIM).">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-[13px]">
        <dt className="text-muted">Last call</dt>
        <dd className="min-w-0 break-words">
          {lastCalledAt ? (
            <>
              <TimeAgo at={lastCalledAt} />
              {lastCalledNetwork && ` from ${lastCalledNetwork}`}
              {lastCalledAgent && ` · ${lastCalledAgent}`}
            </>
          ) : (
            "Never"
          )}
        </dd>
        <dt className="text-muted">People</dt>
        <dd>
          {plural(people.active, "member")} · {people.waiting} invited · {people.suspended} deactivated
        </dd>
      </dl>
      {failures.length === 0 ? (
        <p className="text-[13px] text-muted">No call was refused.</p>
      ) : (
        <ul aria-label="Refused calls" className="flex flex-col divide-y divide-line">
          {failures.map(({ id, at, call, status, detail }) => (
            <li key={id} className="flex flex-col gap-0.5 py-2 text-[13px] first:pt-0 last:pb-0">
              <span>{detail}</span>
              <span className="min-w-0 break-all text-muted">
                <TimeAgo at={at} /> · {status} · <span className="font-mono">{call}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Whom the directory manages, and with which role people begin. */
function PeopleSection({ directory }: { directory: Directory }) {
  const update = useChange([directoryKeys.all], directoryApi.update, { done: "Saved" });
  const { defaultRole, managesOwners } = { ...directory, ...(update.isPending ? update.variables : {}) };
  return (
    <Section
      title="People"
      description="The directory sees all members with their addresses, and manages them, also members whom people invited. New people get an invitation and join by accepting it."
    >
      <Field
        id="default-role"
        label="Role of new people"
        description="Unless one of their groups gives another."
        required
      >
        {(control) => (
          <Select
            {...control}
            value={defaultRole}
            disabled={update.isPending}
            onChange={(event) => {
              const role = DEFAULT_ROLES.find((each) => each === event.target.value);
              if (role) update.mutate({ defaultRole: role });
            }}
          >
            {DEFAULT_ROLES.map((role) => (
              <option key={role} value={role}>
                {capitalise(role)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Switch
        checked={managesOwners}
        disabled={update.isPending}
        onChange={(next) => update.mutate({ managesOwners: next })}
        label="Let the directory deactivate owners"
        description="If this is off, owners are managed only in Intray. The last owner always stays. A directory never makes somebody an owner."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}

/** The directory's groups, and the role that each gives. */
function GroupsSection({ groups, hasToken }: { groups: DirectoryGroup[]; hasToken: boolean }) {
  return (
    <Section
      title="Groups"
      description="A group can give a role to everybody in it. Of several roles the strongest counts. A person who is no longer in any group gets the role of new people."
    >
      {groups.length === 0 ? (
        <Empty icon={Users} title="No groups yet">
          {hasToken
            ? "Groups that your identity provider pushes appear here."
            : "Make a token first. Groups that your identity provider pushes appear here."}
        </Empty>
      ) : (
        <ul aria-label="Groups" className="flex flex-col divide-y divide-line">
          {groups.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function GroupRow({ group: { id, name, members, role } }: { group: DirectoryGroup }) {
  const map = useChange([directoryKeys.all], directoryApi.mapGroup, {
    done: `The role of ${name} was saved`,
  });
  const shown = map.isPending ? map.variables.role : role;
  return (
    <li className="flex flex-col gap-2 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-1 flex-col gap-0.5 max-md:basis-full">
          <span className="min-w-0 break-words font-medium">{name}</span>
          <span className="text-[13px] text-muted">{plural(members, "person", "people")}</span>
        </span>
        <Select
          aria-label={`Role of ${name}`}
          className="w-44 max-md:w-full"
          value={shown ?? ""}
          disabled={map.isPending}
          onChange={(event) =>
            map.mutate({ id, role: MAPPED_ROLES.find((each) => each === event.target.value) ?? null })
          }
        >
          <option value="">No role</option>
          {MAPPED_ROLES.map((each) => (
            <option key={each} value={each}>
              {capitalise(each)}
            </option>
          ))}
        </Select>
      </div>
      {map.error && <Notice live tone="bad" title={errorSentence(map.error)} />}
    </li>
  );
}
