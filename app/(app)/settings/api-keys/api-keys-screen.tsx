"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import { apiKeyList } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { KeyRow } from "./key-row.tsx";

const ServiceAccounts = lazyComponent(
  () => import("./service-accounts/service-accounts.tsx").then((file) => file.ServiceAccounts),
  { loading: () => <div aria-hidden className="skeleton h-24" /> },
);

/** API keys, which authenticate programs. */
export function ApiKeysScreen() {
  const me = useMe();
  const keys = useQuery(apiKeyList());
  const [making, setMaking] = useState(false);
  if (!me.may("keys:manage")) return <Notice title="Only admins manage API keys.">Ask one of them.</Notice>;
  if (keys.isError && !keys.data)
    return <LoadFailure what="The API keys" error={keys.error} onRetry={() => void keys.refetch()} />;
  const list = keys.data?.items;
  const make = (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      Make a key…
    </Button>
  );
  return (
    <>
      <Keys list={list} make={make} />
      <ServiceAccounts />
      <KeyDialog open={making} onOpenChange={setMaking} />
    </>
  );
}

function Keys({ list, make }: { list: ApiKey[] | undefined; make: ReactNode }) {
  return (
    <Section
      title="API keys"
      description="A key never has more rights than its creator, and ends when they leave the organization. Keys of a service account keep working."
      action={list && list.length > 0 && make}
    >
      {!list && <div aria-hidden className="skeleton h-32" />}
      {list?.length === 0 && (
        <Empty icon={KeyRound} title="No API keys yet" action={make}>
          A key lets a program start tasks and answer through the API.
        </Empty>
      )}
      {list && list.length > 0 && (
        <ul aria-label="API keys" className="flex flex-col divide-y divide-line">
          {list.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </ul>
      )}
    </Section>
  );
}
