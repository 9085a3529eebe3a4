"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { webhookList } from "@/lib/web/client/outbound.ts";
import { Section } from "../section.tsx";
import { WebhookRow } from "./webhook-row.tsx";

const AddDialog = lazyComponent(() => import("./add-dialog.tsx").then((file) => file.AddDialog), {
  warm: true,
});

/** The organization's webhooks. */
export function WebhooksScreen() {
  const me = useMe();
  const webhooks = useQuery({ ...webhookList(), enabled: me.may("webhooks:manage") });
  const [adding, setAdding] = useState(false);
  if (!me.may("webhooks:manage"))
    return <Notice title="Only admins manage webhooks.">Ask one of them.</Notice>;
  if (webhooks.isError && !webhooks.data)
    return <LoadFailure what="The webhooks" error={webhooks.error} onRetry={() => void webhooks.refetch()} />;
  const list = webhooks.data?.items;
  const add = (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden strokeWidth={1.75} />
      Add a webhook…
    </Button>
  );
  return (
    <>
      <Section
        title="Webhooks"
        description="Intray tells your programs what happens: signed, with ids and states only, and again until they have it. Private tasks are left out."
        action={list && list.length > 0 && add}
      >
        {!list && <div aria-hidden className="skeleton h-32" />}
        {list?.length === 0 && (
          <Empty icon={WebhookIcon} title="No webhooks yet" action={add}>
            A webhook is an address of yours that Intray calls when a task ends or asks.
          </Empty>
        )}
        {list && list.length > 0 && (
          <ul aria-label="Webhooks" className="flex flex-col divide-y divide-line">
            {list.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        )}
      </Section>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}
