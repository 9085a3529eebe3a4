"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, CircleSlash } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { InviteDialog } from "@/components/people/invite-dialog.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Onboarding, SkipStep, StepState } from "@/lib/people/onboarding/onboarding.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { onboardingKey, useFirstSteps } from "@/lib/web/client/onboarding.ts";
import { ConnectStep } from "./connect-step.tsx";
import { SandboxCard } from "./sandbox-card.tsx";

/** The end of the setup: four steps, which complete by themselves and can be skipped. */
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
        <Notice title="Only admins can set up an organization.">Ask one of them.</Notice>
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
        <p className="text-muted">Four steps, in any order. Each is marked done once you have done it.</p>
      )}
      {skip.error && <Notice live tone="bad" title={errorSentence(skip.error)} />}
      <ol className="flex flex-col gap-4">
        <StepCard
          number={1}
          title="Connect an agent"
          description="Claude Code, Cursor or your own program calls tools through Intray. The agent waits while people decide, and can ask people questions."
          {...skipping("agent")}
        >
          <Button asChild variant={steps.agent === "done" ? "outline" : "primary"} className="self-start">
            <Link href="/servers/agents">{steps.agent === "done" ? "See the agents" : "Add agent"}</Link>
          </Button>
        </StepCard>
        <StepCard
          number={2}
          title="Connect a server"
          description="An MCP server whose tools run as tasks. Intray tests it at once."
          {...skipping("server")}
        >
          <ConnectStep done={steps.server === "done"} />
        </StepCard>
        <StepCard
          number={3}
          title="Start a task"
          description="Choose a tool, fill in its form, and follow the task."
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
            <p className="text-muted">Connect a server first. Each task is a call of one of its tools.</p>
          )}
        </StepCard>
        <StepCard
          number={4}
          title="Invite somebody"
          description="Approvers answer requests, operators start tasks. Intray mails them a link, or gives you a link to send."
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
      <SandboxCard />
      <InviteDialog open={inviting} onOpenChange={setInviting} />
    </Page>
  );
}

/** One of the first steps. `onSkip` skips or resumes it. */
function StepCard({
  number,
  title,
  description,
  state,
  pending,
  onSkip,
  children,
}: {
  number: number;
  title: string;
  description: string;
  state: StepState;
  pending: boolean;
  onSkip: (skipped: boolean) => void;
  children: ReactNode;
}) {
  const heading = useId();
  return (
    <li>
      <section
        aria-labelledby={heading}
        className="flex gap-3.5 rounded-lg border border-line bg-panel p-4 md:p-5"
      >
        <StepMark number={number} state={state} />
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
            <div className="flex min-w-52 flex-1 flex-col gap-1">
              <h2 id={heading} className="font-semibold text-[15px] tracking-tight">
                {title}
                {state !== "open" && (
                  <span
                    className={cn(
                      "ml-2 font-normal text-[13px]",
                      state === "done" ? "text-good" : "text-muted",
                    )}
                  >
                    {state === "done" ? "Done" : "Skipped"}
                  </span>
                )}
              </h2>
              <p className="text-[13px] text-muted">{description}</p>
            </div>
            {state !== "done" && (
              <Button
                variant="ghost"
                size="sm"
                className="-mr-2.5"
                disabled={pending}
                aria-label={state === "open" ? `Skip: ${title}` : `Undo skip: ${title}`}
                onClick={() => onSkip(state === "open")}
              >
                {state === "open" ? "Skip" : "Undo skip"}
              </Button>
            )}
          </div>
          {state !== "skipped" && children}
        </div>
      </section>
    </li>
  );
}

function StepMark({ number, state }: { number: number; state: StepState }) {
  const Icon = state === "done" ? Check : CircleSlash;
  return (
    <span
      aria-hidden
      className={cn(
        "grid size-7 shrink-0 place-items-center rounded-full font-semibold text-[13px]",
        state === "done" && "bg-good-soft text-good",
        state === "open" && "bg-accent-soft text-accent",
        state === "skipped" && "bg-sunken text-muted",
      )}
    >
      {state === "open" ? number : <Icon className="size-4" strokeWidth={2} />}
    </span>
  );
}
