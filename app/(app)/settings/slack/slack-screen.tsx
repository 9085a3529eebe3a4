"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Slack } from "@/lib/outbound/slack/slack-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { SLACK_PATH, slackApp } from "@/lib/web/client/outbound.ts";
import { ChangeSecrets, SendingTrouble, TextOfQuestions } from "../channel-app.tsx";
import { Section } from "../section.tsx";
import { SlackForm } from "./slack-form.tsx";

/** The organization's app at Slack, for admins. */
export function SlackScreen() {
  const me = useMe();
  const slack = useQuery({ ...slackApp(), enabled: me.may("settings:manage") });
  const [changing, setChanging] = useState(false);
  if (!me.may("settings:manage")) return <Notice title="Only admins set Slack up.">Ask one of them.</Notice>;
  if (!slack.data) return <Unread what="Slack" query={slack} className="h-64" />;
  const { app, manifest } = slack.data;
  return (
    <>
      <Section
        title="Slack"
        description="Members who link their Slack account get a message for each request that waits for them. The message changes as the request moves, and says how it ended."
      >
        {app ? <Workspace app={app} /> : <p className="text-muted">Slack is not set up.</p>}
      </Section>
      {app && (
        <TextOfQuestions<Slack> title="Slack" app={app} path={SLACK_PATH} queryKey={slackApp().queryKey} />
      )}
      {!app || changing ? (
        <SlackForm manifest={manifest} isFirst={!app} onDone={() => setChanging(false)} />
      ) : (
        <ChangeSecrets
          title="Slack"
          description="Enter the app’s secrets again after you have installed it again, or for another workspace."
          question={`Remove the workspace ${app.team}?`}
          path={SLACK_PATH}
          queryKey={slackApp().queryKey}
          onChange={() => setChanging(true)}
        />
      )}
    </>
  );
}

type App = NonNullable<Slack["app"]>;

function Workspace({ app }: { app: App }) {
  const { team, bot, setUpAt, members, socket } = app;
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-[13px]">
        <dt className="text-muted">Workspace</dt>
        <dd className="min-w-0 truncate font-medium">{team}</dd>
        <dt className="text-muted">Bot</dt>
        <dd className="min-w-0 truncate">{bot}</dd>
        <dt className="text-muted">Set up</dt>
        <dd>
          <TimeAgo at={setUpAt} />
        </dd>
        <dt className="text-muted">Linked</dt>
        <dd>{plural(members, "member")}</dd>
        {socket && (
          <>
            <dt className="text-muted">Socket Mode</dt>
            <dd>
              {socket.since ? (
                <>
                  Connected <TimeAgo at={socket.since} />
                </>
              ) : (
                (socket.error ?? "Connecting")
              )}
            </dd>
          </>
        )}
      </dl>
      <SendingTrouble
        title="Slack"
        app={app}
        refused="Slack no longer accepts the token"
        remedy="Install the app again at Slack, then enter its secrets."
      />
    </>
  );
}
