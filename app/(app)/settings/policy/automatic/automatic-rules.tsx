"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { OctagonX, Play } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure, Unread } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type {
  AutomaticDecision,
  AutomaticRuleState,
  AutomaticState,
} from "@/lib/requests/automatic/automatic-answer-schema.ts";
import {
  figuresInWords,
  MODE_TONES,
  MODE_WORDS,
  readinessWords,
} from "@/lib/requests/automatic/automatic-answer-words.ts";
import { plural } from "@/lib/text/labels.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import {
  automaticDisagreements,
  automaticState,
  resumeAutomatic,
  stopAutomatic,
} from "@/lib/web/client/settings/policy.ts";
import { Section } from "../../section.tsx";
import { type Disagreement, Disagreements } from "./disagreements.tsx";

/** The rules that answer by themselves: what each did and would have done, and the switch that stops all of them. */
export function AutomaticRules() {
  const state = useQuery(automaticState());
  if (state.isError && !state.data)
    return (
      <LoadFailure what="The automatic answers" error={state.error} onRetry={() => void state.refetch()} />
    );
  if (!state.data) return null;
  const { rules, stopped } = state.data;
  if (rules.length === 0 && stopped === null) return null;
  return (
    <div id="automatic">
      <Section
        title="Automatic answers"
        description="Rules that answer instead of people. In shadow, a rule’s answer is only compared with what people decide. Live, it is sent."
      >
        <StopSwitch stopped={stopped} isAnyLive={rules.some(({ mode }) => mode === "live")} />
        {rules.length > 0 && (
          <ul aria-label="Automatic rules" className="flex flex-col divide-y divide-line">
            {rules.map((rule) => (
              <Rule key={rule.name} rule={rule} />
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}

/** A stop takes one press, and no question: it has to be easy. Only an owner lets them go on. */
function StopSwitch({ stopped, isAnyLive }: Pick<AutomaticState, "stopped"> & { isAnyLive: boolean }) {
  const me = useMe();
  const client = useQueryClient();
  const shown = () => client.invalidateQueries({ queryKey: automaticState().queryKey });
  const stop = useMutation({
    mutationFn: stopAutomatic,
    onSuccess: ({ takenBack }) =>
      toast(
        takenBack > 0
          ? `Stopped. ${plural(takenBack, "answer")} taken back before being sent`
          : "All automatic answers are stopped",
      ),
    onSettled: shown,
  });
  const resume = useMutation({
    mutationFn: resumeAutomatic,
    onSuccess: () => toast("Automatic answers are resumed"),
    onSettled: shown,
  });
  const error = stop.error ?? resume.error;
  return (
    <>
      {stopped ? (
        <Notice
          live
          tone="bad"
          title={
            <>
              <PlainText text={actorWords(stopped.by, { begins: true })} /> stopped all automatic answers,{" "}
              <Clock at={stopped.at} />
            </>
          }
          action={
            me.may("owners:manage") ? (
              <Button disabled={resume.isPending} onClick={() => resume.mutate()}>
                <Play aria-hidden strokeWidth={1.75} />
                Resume automatic answers
              </Button>
            ) : undefined
          }
        >
          <p>
            People decide every request.
            {!me.may("owners:manage") && " An owner can resume automatic answers."}
          </p>
        </Notice>
      ) : (
        <Button
          variant={isAnyLive ? "destructive" : "danger"}
          className="h-12 self-start px-5 text-[15px] max-md:self-stretch"
          disabled={stop.isPending}
          onClick={() => stop.mutate()}
        >
          <OctagonX aria-hidden strokeWidth={1.75} />
          {stop.isPending ? "Stopping…" : "Stop all automatic answers"}
        </Button>
      )}
      {error && <Notice live tone="bad" title={errorSentence(error)} />}
    </>
  );
}

function Rule({ rule }: { rule: AutomaticRuleState }) {
  const { name, mode, disagreed, since } = rule;
  const [isOpen, setOpen] = useState(false);
  const figures = figuresInWords(rule);
  return (
    <li className="flex flex-col gap-1.5 py-3 text-[13px]">
      <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="font-medium text-sm">
          <PlainText text={name} />
        </span>
        <Badge tone={MODE_TONES[mode]}>{MODE_WORDS[mode]}</Badge>
        {since !== null && <span className="text-muted">unchanged since version {since}</span>}
      </span>
      {mode !== "live" && <span>{readinessWords(rule)}</span>}
      {figures.length > 0 && <span className="text-muted tabular-nums">{figures.join(" · ")}</span>}
      {disagreed > 0 && (
        <span>
          <Button size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide disagreements" : `Show ${plural(disagreed, "disagreement")}`}
          </Button>
        </span>
      )}
      {isOpen && disagreed > 0 && <ItsDisagreements rule={name} />}
    </li>
  );
}

function ItsDisagreements({ rule }: { rule: string }) {
  const list = useQuery(automaticDisagreements(rule));
  if (!list.data) return <Unread what="The disagreements" query={list} className="h-16" />;
  return (
    <Disagreements
      title="Where people decided otherwise"
      items={list.data.items.flatMap(asDisagreement)}
      note={list.data.nextCursor ? `The latest ${list.data.items.length} are listed.` : undefined}
    />
  );
}

function asDisagreement({ id, task, tool, at, rule, said, people }: AutomaticDecision): Disagreement[] {
  if (!people) return [];
  return [
    {
      rule: rule.name,
      version: rule.version,
      request: { id, label: task.label, message: tool, askedAt: at },
      people,
      automatic: said,
    },
  ];
}
