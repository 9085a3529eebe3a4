"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { BellRing, Monitor, Smartphone } from "lucide-react";
import { type ReactNode, useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { addThisBrowser, whyNoDevice } from "@/components/shell/worker/service-worker.ts";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import type { Device } from "@/lib/outbound/push/push-schema.ts";
import { browserWords, isPhone } from "@/lib/text/browser.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { devices as devicesQuery } from "@/lib/web/client/notices.ts";
import { Section } from "../section.tsx";

const WHY_NOT: Record<NonNullable<ReturnType<typeof whyNoDevice>>, string> = {
  insecure: "Browsers show push notifications only of sites with https.",
  home_screen:
    "On iPhone and iPad: press Share, then Add to Home Screen. Open Intray from there, and turn push notifications on here.",
  unsupported: "This browser can’t show push notifications. A private window can’t either.",
  denied:
    "This browser blocks notifications from Intray. Allow them in its settings for this site, then reload.",
};

/** The browsers that show the member's push notifications of this organization. */
export function Devices() {
  const me = useMe();
  const devices = useQuery(devicesQuery());
  // Read once: the component is drawn in browsers alone.
  const [why, setWhy] = useState(whyNoDevice);
  const add = useMutation({
    mutationFn: async () => {
      const isAdded = await addThisBrowser({ userId: me.user.id, organizationId: me.organization.id });
      if (!isAdded) setWhy(whyNoDevice());
      await devices.refetch();
    },
  });
  if (!devices.data) return <Unread what="The devices" query={devices} className="h-32" />;
  const { items, textAllowed } = devices.data;
  return (
    <Section
      title="Devices"
      description="Browsers that show push notifications, also while Intray is closed. They say how many requests wait for you. Signing out removes the device."
    >
      {items.length > 0 && (
        <ul aria-label="Devices" className="flex flex-col divide-y divide-line">
          {items.map((device) => (
            <DeviceRow key={device.id} device={device} textAllowed={textAllowed} />
          ))}
        </ul>
      )}
      {items.some(({ current }) => current) ? null : why !== null ? (
        <p className="text-[13px] text-muted">{WHY_NOT[why]}</p>
      ) : (
        <div>
          <Button disabled={add.isPending} onClick={() => add.mutate()}>
            <BellRing aria-hidden strokeWidth={1.75} />
            Turn on in this browser
          </Button>
        </div>
      )}
      {add.error && (
        <Notice live tone="bad" title="Push notifications could not be turned on">
          {add.error instanceof DOMException ? add.error.message : errorSentence(add.error)}
        </Notice>
      )}
    </Section>
  );
}

function DeviceRow({ device, textAllowed }: { device: Device; textAllowed: boolean }) {
  const { id, userAgent, current, showsText, failure } = device;
  const [removing, setRemoving] = useState(false);
  const { queryKey } = devicesQuery();
  const path = `/api/v1/me/devices/${id}`;
  const test = useChange([queryKey], () => api.post(`${path}/test`), { onError: tellError });
  const choose = useChange([queryKey], (shows: boolean) => api.patch(path, { showsText: shows }), {
    onError: tellError,
  });
  const remove = useChange([queryKey], () => api.delete(path), {
    done: "Device removed",
    onDone: () => setRemoving(false),
    onError: tellError,
  });
  const name = browserWords(userAgent);
  const Icon = isPhone(userAgent) ? Smartphone : Monitor;
  return (
    <li className="flex flex-col gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Icon aria-hidden className="size-5 shrink-0 text-faint" strokeWidth={1.75} />
        <div className="flex min-w-52 flex-1 flex-col gap-0.5">
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="truncate font-medium" title={userAgent ?? undefined}>
              {name}
            </span>
            {current && <Badge tone="accent">This browser</Badge>}
          </span>
          <span role="status" className="text-muted text-xs">
            <Status device={device} />
          </span>
        </div>
        <div className="flex gap-2">
          <Button
            size="sm"
            disabled={test.isPending}
            aria-label={`Send a test to ${name}`}
            onClick={() => test.mutate()}
          >
            Send a test
          </Button>
          <Button size="sm" aria-label={`Remove ${name}`} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </div>
      </div>
      {failure && (
        <Notice tone="bad" title={failure.error}>
          <p>
            Since <TimeAgo at={failure.since} />. Intray tries again for a day, then at the next notification.
          </p>
        </Notice>
      )}
      {textAllowed && (
        <Switch
          checked={choose.isPending ? choose.variables : showsText}
          onChange={(shows) => choose.mutate(shows)}
          label="Show what is asked"
          description="The text of a question then also appears on the locked screen."
        />
      )}
      <ConfirmDialog
        open={removing}
        onOpenChange={() => setRemoving(false)}
        title={`Remove ${name}?`}
        description="It shows no more push notifications of this organization."
        confirm="Remove"
        destructive
        pending={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}

/** What became of the last test, or when the device was last told of something. */
function Status({ device: { test, sentAt, createdAt } }: { device: Device }): ReactNode {
  if (test?.shownAt)
    return (
      <>
        The device showed the test <TimeAgo at={test.shownAt} />
      </>
    );
  if (test?.sentAt)
    return (
      <>
        The push service took the test <TimeAgo at={test.sentAt} />. Waiting for the device to show it
      </>
    );
  if (test)
    return (
      <>
        Test asked for <TimeAgo at={test.askedAt} />. Not sent yet
      </>
    );
  if (sentAt)
    return (
      <>
        Last message <TimeAgo at={sentAt} />
      </>
    );
  return (
    <>
      Added <TimeAgo at={createdAt} />. No message yet
    </>
  );
}
