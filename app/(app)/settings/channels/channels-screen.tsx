"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { tellError, useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import {
  type Channels,
  NOTICE_KINDS,
  type NoticeKind,
  type NoticeSettings,
} from "@/lib/outbound/notices/notice-schema.ts";
import { ACCOUNT_WORDS, KIND_WORDS } from "@/lib/outbound/notices/notice-words.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { noticeSettings, ownSlack, ownTeams } from "@/lib/web/client/notices.ts";
import { Section } from "../section.tsx";

const loading = () => <div aria-hidden className="skeleton h-32" />;
const Email = lazyComponent(() => import("./email.tsx").then((file) => file.Email), { loading });
const Devices = lazyComponent(() => import("./devices.tsx").then((file) => file.Devices), { loading });
const CalendarAddress = lazyComponent(
  () => import("./calendar-address.tsx").then((file) => file.CalendarAddress),
  { loading },
);
const TeamsAccount = lazyComponent(() => import("./teams-account.tsx").then((file) => file.TeamsAccount), {
  loading,
});
const SlackAccount = lazyComponent(() => import("./slack-account.tsx").then((file) => file.SlackAccount), {
  loading,
});

/** The columns of the kinds. Each channel has a section of its own below. */
const CHANNELS: Record<keyof Channels, string> = {
  app: "In app",
  email: "E-mail",
  push: "Push",
  slack: "Slack",
  teams: "Teams",
};

/** How the user is reached in this organization. Each choice takes effect at once. */
export function ChannelsScreen() {
  const { may } = useMe();
  const settings = useQuery(noticeSettings());
  const slack = useQuery(ownSlack()).data;
  const teams = useQuery(ownTeams()).data;
  const change = useSave(
    noticeSettings().queryKey,
    (kinds: Partial<NoticeSettings["kinds"]>) =>
      api.patch<NoticeSettings>("/api/v1/me/notifications", { kinds }),
    { onError: tellError },
  );
  if (!settings.data) return <Unread what="The notifications" query={settings} className="h-96" />;
  return (
    <>
      <Kinds
        settings={settings.data}
        linked={{ slack: slack?.account != null, teams: teams?.account != null }}
        pending={change.isPending ? change.variables : {}}
        onChange={change.mutate}
      />
      <Email settings={settings.data} />
      <Devices />
      {slack && slack.team !== null && <SlackAccount slack={slack} />}
      {teams && teams.tenant !== null && <TeamsAccount teams={teams} />}
      {may("requests:answer") && <CalendarAddress />}
    </>
  );
}

/** Whether the member has linked their account there. */
type Linked = Record<"slack" | "teams", boolean>;

/** `pending`: choices that are being saved. */
function Kinds({
  settings: { kinds },
  linked,
  pending,
  onChange,
}: {
  settings: NoticeSettings;
  linked: Linked;
  pending: Partial<NoticeSettings["kinds"]>;
  onChange: (kinds: Partial<NoticeSettings["kinds"]>) => void;
}) {
  return (
    <Section
      title="Notifications"
      description="Only for you, in this organization. Push reaches the devices below."
    >
      <ul className="flex flex-col divide-y divide-line">
        {NOTICE_KINDS.map((kind) => (
          <KindRow
            key={kind}
            kind={kind}
            channels={pending[kind] ?? kinds[kind]}
            linked={linked}
            onChange={(channels) => onChange({ [kind]: channels })}
          />
        ))}
        <li className="flex flex-wrap items-center gap-x-6 gap-y-2 py-3 last:pb-0">
          <span className="flex min-w-56 flex-1 flex-col gap-0.5">
            <span className="font-medium">{ACCOUNT_WORDS.label}</span>
            <span className="text-[13px] text-muted">{ACCOUNT_WORDS.description}</span>
          </span>
          <span className="text-[13px] text-muted">Always, in the app and by e-mail</span>
        </li>
      </ul>
    </Section>
  );
}

function KindRow({
  kind,
  channels,
  linked,
  onChange,
}: {
  kind: NoticeKind;
  channels: Channels;
  linked: Linked;
  onChange: (channels: Channels) => void;
}) {
  const id = useId();
  const { label, description } = KIND_WORDS[kind];
  const shown = (Object.keys(CHANNELS) as (keyof Channels)[]).filter(
    (each) => (each !== "slack" && each !== "teams") || linked[each],
  );
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand beside its switches */}
      <div
        role="group"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-description`}
        className="flex flex-wrap items-center gap-x-6 gap-y-3"
      >
        <span className="flex min-w-56 flex-1 flex-col gap-0.5">
          <span id={`${id}-label`} className="font-medium">
            {label}
          </span>
          <span id={`${id}-description`} className="text-[13px] text-muted">
            {description}
          </span>
        </span>
        <span className="flex flex-wrap gap-x-6 gap-y-3 whitespace-nowrap max-md:gap-x-4">
          {shown.map((channel) => (
            <Switch
              key={channel}
              label={CHANNELS[channel]}
              checked={channels[channel]}
              onChange={(isOn) => onChange({ ...channels, [channel]: isOn })}
            />
          ))}
        </span>
      </div>
    </li>
  );
}
