"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import type { Slack } from "@/lib/outbound/slack/slack-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { SLACK_PATH, slackApp } from "@/lib/web/client/outbound.ts";
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
      {app && <Text app={app} />}
      {!app || changing ? (
        <SlackForm manifest={manifest} isFirst={!app} onDone={() => setChanging(false)} />
      ) : (
        <Change app={app} onChange={() => setChanging(true)} />
      )}
    </>
  );
}

type App = NonNullable<Slack["app"]>;

function Workspace({
  app: { team, bot, setUpAt, members, revoked, socket, pausedUntil, failing },
}: {
  app: App;
}) {
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
      {revoked && (
        <Notice tone="bad" title={`Slack no longer accepts the token: ${revoked.because}`}>
          Since <TimeAgo at={revoked.at} />. Nothing is sent. Install the app again at Slack, then enter its
          secrets.
        </Notice>
      )}
      {pausedUntil && (
        <Notice tone="wait" title="Slack asked for a pause">
          Nothing is sent before <Clock at={pausedUntil} />.
        </Notice>
      )}
      {failing && (
        <Notice tone="bad" title={`Messages to ${plural(failing.members, "member")} fail: ${failing.error}`}>
          Since <TimeAgo at={failing.since} />. Intray tries again for a day.
        </Notice>
      )}
    </>
  );
}

/** Whether messages carry questions. The switch takes effect at once, also on messages that were posted. */
function Text({ app }: { app: App }) {
  const update = useSave(
    slackApp().queryKey,
    (showsText: boolean) => api.patch<Slack>(SLACK_PATH, { showsText }),
    {
      done: (saved) =>
        saved.app?.showsText
          ? "Messages carry the text of questions"
          : "Messages name only the tool and the server",
    },
  );
  return (
    <Section title="Text of questions">
      <Switch
        checked={update.isPending ? update.variables : app.showsText}
        onChange={(showsText) => update.mutate(showsText)}
        label="Allow the text of questions"
        description="Slack then stores the questions. Otherwise messages name only the tool and the server."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}

function Change({ app: { team }, onChange }: { app: App; onChange: () => void }) {
  const [removing, setRemoving] = useState(false);
  return (
    <Section
      title="Secrets"
      description="Enter the app’s secrets again after you have installed it again, or for another workspace."
    >
      <div className="flex flex-wrap gap-2">
        <Button onClick={onChange}>Enter secrets…</Button>
        <Button variant="danger" onClick={() => setRemoving(true)}>
          Remove Slack…
        </Button>
      </div>
      {removing && (
        <ConfirmChange
          keys={[slackApp().queryKey]}
          call={() => api.delete(SLACK_PATH)}
          done="Slack is removed"
          onClose={() => setRemoving(false)}
          title={`Remove the workspace ${team}?`}
          description="All linked accounts are unlinked. Messages that were posted stay in Slack, and no longer change."
          confirm="Remove"
          destructive
        />
      )}
    </Section>
  );
}
