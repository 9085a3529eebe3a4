"use client";

import { useQuery } from "@tanstack/react-query";
import { LogIn, Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { samlProviderList } from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";
import { SamlRow } from "./saml-row.tsx";

const AddDialog = lazyComponent(() => import("./saml-dialogs.tsx").then((file) => file.AddDialog), {
  warm: true,
});

/** The identity providers through which the organization's people sign in. */
export function SamlScreen() {
  const me = useMe();
  const providers = useQuery({ ...samlProviderList(), enabled: me.may("saml:read") });
  const [adding, setAdding] = useState(false);
  if (!me.may("saml:read")) return <Notice title="Only admins see SAML sign-in.">Ask one of them.</Notice>;
  if (providers.isError && !providers.data)
    return (
      <LoadFailure
        what="The SAML providers"
        error={providers.error}
        onRetry={() => void providers.refetch()}
      />
    );
  const list = providers.data?.items;
  const add = me.may("saml:manage") && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      Add a provider…
    </Button>
  );
  return (
    <>
      <Section
        title="SAML sign-in"
        description="People sign in through your own identity provider. Its sessions reach only this organization."
        action={list && list.length > 0 && add}
      >
        {!list && <div aria-hidden className="skeleton h-32" />}
        {list?.length === 0 && (
          <Empty icon={LogIn} title="No providers yet" action={add}>
            Microsoft Entra, Okta, Google Workspace and others can sign your people in.
          </Empty>
        )}
        {list && list.length > 0 && (
          <ul aria-label="SAML providers" className="flex flex-col divide-y divide-line">
            {list.map((provider) => (
              <SamlRow key={provider.id} provider={provider} />
            ))}
          </ul>
        )}
      </Section>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}
