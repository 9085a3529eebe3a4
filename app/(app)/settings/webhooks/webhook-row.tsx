"use client";

import { CircleCheck, CirclePause, CircleX, Ellipsis, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import type { Webhook } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { webhookApi, webhookKeys } from "@/lib/web/client/outbound.ts";
import { DeliveryLog } from "./delivery-log.tsx";

const DIALOGS = {
  edit: lazyComponent(() => import("./webhook-dialogs.tsx").then((file) => file.EditDialog)),
  rotate: lazyComponent(() => import("./webhook-dialogs.tsx").then((file) => file.RotateDialog)),
  remove: lazyComponent(() => import("./webhook-dialogs.tsx").then((file) => file.RemoveDialog)),
};

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, enabled } = webhook;
  const { host, pathname, search } = new URL(url);
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  const test = useChange([webhookKeys.all], () => webhookApi.test(id), {
    done: "Sending a test",
    onError: tellError,
  });
  const turn = useChange([webhookKeys.all], () => webhookApi.update(id, { enabled: !enabled }), {
    done: enabled ? "Switched off: events are not sent meanwhile" : "Switched on",
    onError: tellError,
  });
  return (
    <li className="flex flex-col gap-2 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <span className="min-w-0 break-all">
              <span className="font-medium">{host}</span>
              <span className="text-muted">{pathname + search}</span>
            </span>
            <StateBadge webhook={webhook} />
          </span>
          <span className="text-[13px] text-muted">
            {webhook.events.length === 1 ? webhook.events[0] : `${webhook.events.length} kinds of events`}
            {webhook.lastDelivery && (
              <>
                {" · "}last one {DELIVERY_WORDS[webhook.lastDelivery.state]},{" "}
                <TimeAgo at={webhook.lastDelivery.at} />
              </>
            )}
          </span>
          {webhook.previousSecretUntil && (
            <span className="text-[13px] text-muted">The previous secret signs too, for a day.</span>
          )}
        </span>
        <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
          <Button
            aria-expanded={open}
            aria-label={`Log of ${host}`}
            onClick={() => setOpen((before) => !before)}
          >
            Log
          </Button>
          <Button
            aria-label={`Send a test to ${host}`}
            disabled={!enabled || test.isPending}
            onClick={() => test.mutate()}
          >
            Test
          </Button>
          <Menu
            trigger={
              <Button size="icon" variant="ghost" className="h-9 w-9" aria-label={`More for ${host}`}>
                <Ellipsis aria-hidden strokeWidth={1.75} />
              </Button>
            }
          >
            <MenuItem onSelect={() => turn.mutate()}>{enabled ? "Switch off" : "Switch on"}</MenuItem>
            <MenuItem onSelect={() => setAsking("edit")}>Change…</MenuItem>
            <MenuItem onSelect={() => setAsking("rotate")}>New secret…</MenuItem>
            <MenuSeparator />
            <MenuItem onSelect={() => setAsking("remove")}>Remove…</MenuItem>
          </Menu>
        </span>
      </div>
      {open && <DeliveryLog webhookId={id} host={host} />}
      {Asked && <Asked webhook={webhook} onClose={() => setAsking(null)} />}
    </li>
  );
}

const DELIVERY_WORDS = { pending: "being sent", delivered: "delivered", failed: "failed" };

function StateBadge({ webhook: { disabledReason, failingSince } }: { webhook: Webhook }) {
  if (disabledReason === "by_hand") return <Badge icon={CirclePause}>Off</Badge>;
  if (disabledReason === "gone")
    return (
      <Badge tone="bad" icon={CircleX}>
        Off: the receiver is gone
      </Badge>
    );
  if (disabledReason === "failing")
    return (
      <Badge tone="bad" icon={CircleX}>
        Off: failed for three days
      </Badge>
    );
  if (failingSince)
    return (
      <Badge tone="wait" icon={TriangleAlert}>
        Failing
      </Badge>
    );
  return (
    <Badge tone="good" icon={CircleCheck}>
      On
    </Badge>
  );
}
