"use client";

import { useQuery } from "@tanstack/react-query";
import { Bot, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { serviceAccountList } from "@/lib/api-client/organization.ts";
import { Section } from "../../section.tsx";
import { AccountRow } from "./account-row.tsx";

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
      description="For programs that outlive whoever set them up: their keys go on when the person who made them leaves. A member answers for each; without one it rests."
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
