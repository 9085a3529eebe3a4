"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { InviteDialog } from "@/components/people/invite-dialog.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { StepUp } from "@/components/shell/session/step-up.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { showSaved } from "@/lib/api-client/base/show-saved.ts";
import { onboardingKey, useFirstSteps } from "@/lib/api-client/onboarding.ts";
import type { Onboarding, SkipStep } from "@/lib/onboarding/schema.ts";
import { ConnectStep } from "./connect-step.tsx";
import { StepCard } from "./step-card.tsx";

/** The end of the setup: three steps, which complete by themselves and can be skipped. */
export function GetStartedScreen() {
  const me = useMe();
  const client = useQueryClient();
  const first = useFirstSteps();
  const [inviting, setInviting] = useState(false);
  useTitle("Get started");
  const skip = useMutation({
    mutationFn: (input: SkipStep) => api.patch<Onboarding>("/api/v1/onboarding", input),
    onSuccess: (now) => showSaved(client, onboardingKey, now),
  });
  if (!first)
    return (
      <Page title="Get started" narrow>
        <Notice title="Only admins set an organization up.">Ask one of them.</Notice>
      </Page>
    );
  const { steps, over } = first;
  const skipping = (step: SkipStep["step"]) => ({
    state: steps[step],
    pending: skip.isPending,
    onSkip: (skipped: boolean) => skip.mutate({ step, skipped }),
  });
  return (
    <Page title="Get started" narrow>
      {over ? (
        <Notice
          live
          tone="good"
          title={`${me.organization.name} is ready`}
          action={
            <span className="flex flex-wrap gap-2">
              <Button asChild variant="primary">
                <Link href="/inbox">Go to the inbox</Link>
              </Button>
              <Button asChild>
                <Link href="/overview">Go to the overview</Link>
              </Button>
            </span>
          }
        >
          Each step is done or skipped. Requests of your tasks appear in the inbox.
        </Notice>
      ) : (
        <p className="text-muted">Three steps, in any order. Each is marked done once you have done it.</p>
      )}
      {skip.error && <Notice live tone="bad" title={errorSentence(skip.error)} />}
      <ol className="flex flex-col gap-4">
        <StepCard
          number={1}
          title="Connect a server"
          description="An MCP server whose tools run as tasks. It is asked at once who it is and what it can do."
          {...skipping("server")}
        >
          <ConnectStep done={steps.server === "done"} />
        </StepCard>
        <StepCard
          number={2}
          title="Start a task"
          description="Choose a tool, fill in its form, and follow what comes of it."
          {...skipping("task")}
        >
          {steps.task === "done" ? (
            <Button asChild className="self-start">
              <Link href="/tasks">See the tasks</Link>
            </Button>
          ) : steps.server === "done" ? (
            <Button asChild variant="primary" className="self-start">
              <Link href="/tasks/new">New task</Link>
            </Button>
          ) : (
            <p className="text-muted">Connect a server first: its tools are what tasks are made of.</p>
          )}
        </StepCard>
        <StepCard
          number={3}
          title="Invite somebody"
          description="Approvers answer requests, operators start tasks. They are mailed a link, or you get one to send."
          {...skipping("invitation")}
        >
          {steps.invitation === "done" ? (
            <Button asChild className="self-start">
              <Link href="/settings/members">See the members</Link>
            </Button>
          ) : (
            <Button variant="primary" className="self-start" onClick={() => setInviting(true)}>
              Invite…
            </Button>
          )}
        </StepCard>
      </ol>
      <InviteDialog open={inviting} onOpenChange={setInviting} />
      <StepUp />
    </Page>
  );
}
