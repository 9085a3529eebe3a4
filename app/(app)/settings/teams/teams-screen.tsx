"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Teams } from "@/lib/outbound/teams/teams-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { TEAMS_PATH, teamsApp } from "@/lib/web/client/outbound.ts";
import { ChangeSecrets, SendingTrouble, TextOfQuestions } from "../channel-app.tsx";
import { Section } from "../section.tsx";
import { TeamsForm } from "./teams-form.tsx";

/** The organization's app at Teams, for admins. */
export function TeamsScreen() {
  const me = useMe();
  const teams = useQuery({ ...teamsApp(), enabled: me.may("settings:manage") });
  const [changing, setChanging] = useState(false);
  if (!me.may("settings:manage")) return <Notice title="Only admins set Teams up.">Ask one of them.</Notice>;
  if (!teams.data) return <Unread what="Teams" query={teams} className="h-64" />;
  const { app } = teams.data;
  return (
    <>
      <Section
        title="Teams"
        description="Members who link their account in Microsoft Teams get a message for each request that waits for them. The message changes as the request moves, and says how it ended."
      >
        {app ? <App app={app} /> : <p className="text-muted">Teams is not set up.</p>}
      </Section>
      {app && <Package />}
      {app && (
        <TextOfQuestions<Teams> title="Teams" app={app} path={TEAMS_PATH} queryKey={teamsApp().queryKey} />
      )}
      {!app || changing ? (
        <TeamsForm teams={teams.data} onDone={() => setChanging(false)} />
      ) : (
        <ChangeSecrets
          title="Teams"
          description="Enter a new client secret before the old one ends. Another app or tenant unlinks all accounts."
          question="Remove the app in Teams?"
          path={TEAMS_PATH}
          queryKey={teamsApp().queryKey}
          onChange={() => setChanging(true)}
        />
      )}
    </>
  );
}

function App({ app }: { app: NonNullable<Teams["app"]> }) {
  const { appId, tenantId, setUpAt, members } = app;
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-[13px]">
        <dt className="text-muted">App</dt>
        <dd className="min-w-0 truncate font-mono">{appId}</dd>
        <dt className="text-muted">Tenant</dt>
        <dd className="min-w-0 truncate font-mono">{tenantId}</dd>
        <dt className="text-muted">Set up</dt>
        <dd>
          <TimeAgo at={setUpAt} />
        </dd>
        <dt className="text-muted">Linked</dt>
        <dd>{plural(members, "member")}</dd>
      </dl>
      <SendingTrouble
        title="Teams"
        app={app}
        refused="Microsoft no longer accepts the secret"
        remedy="Make a new client secret at Microsoft, then enter it."
      />
    </>
  );
}

function Package() {
  return (
    <Section
      title="App for Teams"
      description="Upload this package at admin.teams.microsoft.com: Teams apps → Manage apps → Actions → Upload new app. Members then add Intray in Teams."
    >
      <Button asChild className="self-start">
        <a href={`${TEAMS_PATH}/package`} download>
          <Download aria-hidden strokeWidth={1.75} />
          Download the package
        </a>
      </Button>
    </Section>
  );
}
