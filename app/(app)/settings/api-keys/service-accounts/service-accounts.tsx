"use client";

import { useQuery } from "@tanstack/react-query";
import { Bot, CirclePause, Ellipsis, Plus } from "lucide-react";
import { useState } from "react";
import { useChange } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import type { ServiceAccount } from "@/lib/people/service-accounts/service-account-schema.ts";
import { capitalise, plural } from "@/lib/text/labels.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { serviceAccountApi, serviceAccountKeys, serviceAccountList } from "@/lib/web/client/organization.ts";
import { Section } from "../../section.tsx";

const DIALOGS = {
  change: lazyComponent(() => import("./account-dialog.tsx").then((file) => file.AccountDialog)),
  remove: lazyComponent(() => import("./account-dialog.tsx").then((file) => file.RemoveDialog)),
};

/** Why an account is suspended, and what it needs. */
const SUSPENDED: Record<NonNullable<ServiceAccount["suspended"]>, string> = {
  by_admin: "An admin suspended it: its keys are refused.",
  owner_gone: "It has no owner, so its keys are refused. Choose another owner.",
  owner_too_weak:
    "Its owner’s role is weaker than its own, so its keys are refused. Change one of the roles.",
};

function AccountRow({ account }: { account: ServiceAccount }) {
  const me = useMe();
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  const { id, name, description, role, owner, suspended, keys } = account;
  const isByAdmin = suspended === "by_admin";
  const turn = useChange(serviceAccountKeys, () => serviceAccountApi.update(id, { suspended: !isByAdmin }), {
    done: isByAdmin ? `${name} works again` : `${name} is suspended: its keys are refused`,
  });
  const mayChange = role !== "owner" || me.may("owners:manage");
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
      <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          <Badge className="shrink-0">{capitalise(role)}</Badge>
          {suspended && (
            <Badge tone={isByAdmin ? "neutral" : "bad"} icon={CirclePause}>
              Suspended
            </Badge>
          )}
        </span>
        {description && <span className="break-words text-[13px] text-muted">{description}</span>}
        <span className="text-muted text-xs">
          {owner ? `Owner ${owner.name}` : "No owner"} · {plural(keys, "key")}
        </span>
        {suspended && <span className="text-[13px] text-muted">{SUSPENDED[suspended]}</span>}
        {turn.error && <Notice live tone="bad" title={errorSentence(turn.error)} />}
      </span>
      {mayChange && (
        <span className="flex gap-2 max-md:w-full max-md:*:first:flex-1">
          <Button aria-label={`Change ${name}`} onClick={() => setAsking("change")}>
            {suspended && !isByAdmin ? "Choose another owner…" : "Change…"}
          </Button>
          <Menu
            trigger={
              <Button
                size="icon"
                variant="ghost"
                className="h-9 w-9 max-md:h-11 max-md:w-11"
                aria-label={`More for ${name}`}
              >
                <Ellipsis aria-hidden strokeWidth={1.75} />
              </Button>
            }
          >
            {(!suspended || isByAdmin) && (
              <>
                <MenuItem onSelect={() => turn.mutate()}>{isByAdmin ? "Resume" : "Suspend"}</MenuItem>
                <MenuSeparator />
              </>
            )}
            <MenuItem onSelect={() => setAsking("remove")}>Delete…</MenuItem>
          </Menu>
        </span>
      )}
      {Asked && <Asked account={account} onClose={() => setAsking(null)} />}
    </li>
  );
}

const AccountDialog = lazyComponent(() => import("./account-dialog.tsx").then((file) => file.AccountDialog));

/** Programs with a name of their own, and the members who answer for them. */
export function ServiceAccounts() {
  const accounts = useQuery(serviceAccountList());
  const [making, setMaking] = useState(false);
  const list = accounts.data?.items;
  const make = (
    <Button onClick={() => setMaking(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      Make a service account…
    </Button>
  );
  return (
    <Section
      title="Service accounts"
      description="For programs whose keys must keep working when their creator leaves. Each account has an owner. Without one it is suspended."
      action={list && list.length > 0 && make}
    >
      {accounts.isError && !list && (
        <LoadFailure
          what="The service accounts"
          error={accounts.error}
          onRetry={() => void accounts.refetch()}
        />
      )}
      {!list && !accounts.isError && <div aria-hidden className="skeleton h-24" />}
      {list?.length === 0 && (
        <Empty icon={Bot} title="No service accounts yet" action={make}>
          Give a program a name and an owner, then make keys for it.
        </Empty>
      )}
      {list && list.length > 0 && (
        <ul aria-label="Service accounts" className="flex flex-col divide-y divide-line">
          {list.map((account) => (
            <AccountRow key={account.id} account={account} />
          ))}
        </ul>
      )}
      {making && <AccountDialog account={null} onClose={() => setMaking(false)} />}
    </Section>
  );
}
