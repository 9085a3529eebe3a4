"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ListChecks, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { CallRule, CallRules } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { warningWords } from "@/lib/policy/call-rules/call-rule-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { callRules, saveCallRules, tryCallRules } from "@/lib/web/client/agents.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { serverList } from "@/lib/web/client/servers.ts";
import { ExampleButtons } from "../conditions/example-buttons.tsx";
import { CALL_EXAMPLES, withExample } from "../conditions/examples.ts";
import { SaveBar, Section } from "../section.tsx";
import { RuleRow } from "./rule-row.tsx";
import { TriedCallsList } from "./tried-calls.tsx";

/** Which calls are allowed, which require approval, and which are denied. */
export function CallRulesScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const rules = useQuery({ ...callRules(), enabled: mayChange });
  const servers = useQuery({ ...serverList(), enabled: mayChange });
  if (!mayChange) return <Notice title="Only admins see and change call rules.">Ask one of them.</Notice>;
  const failed = [rules, servers].find((query) => query.isError && !query.data);
  if (failed?.error) {
    const retry = () => void Promise.all([rules.refetch(), servers.refetch()]);
    return <LoadFailure what="The call rules" error={failed.error} onRetry={retry} />;
  }
  if (!rules.data || !servers.data) return <div aria-hidden className="skeleton h-64" />;
  const { version, changedAt, changedBy } = rules.data;
  return (
    <>
      <RulesEditor current={rules.data} servers={servers.data.items} />
      {changedAt && changedBy && (
        <p className="text-[13px] text-muted">
          Version {version}, saved by {actorWords(changedBy)} <TimeAgo at={changedAt} />
        </p>
      )}
    </>
  );
}

const RuleDialog = lazyComponent(() => import("./rule-dialog.tsx").then((file) => file.RuleDialog), {
  warm: true,
});

/**
 * The rules in their order. One press saves all of them, over the version that they were read at. A newer one that arrives
 * takes the place of rules that nobody has changed here; changed ones stay, and whoever changes them is told.
 */
function RulesEditor({ current, servers }: { current: CallRules; servers: Server[] }) {
  const client = useQueryClient();
  /** The version that is being changed. */
  const [saved, setSaved] = useState(current);
  const [rules, setRules] = useState(saved.rules);
  /** The rule that is open: its place, or "new". */
  const [open, setOpen] = useState<number | "new" | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const isChanged = JSON.stringify(rules) !== JSON.stringify(saved.rules);
  const isOld = current.version > saved.version;
  const adopt = (version: CallRules) => {
    setSaved(version);
    setRules(version.rules);
  };
  if (isOld && !isChanged) adopt(current);
  const save = useMutation({
    mutationFn: () => saveCallRules(saved.version, rules),
    onSuccess: async (now) => {
      adopt(now);
      await showSaved(client, callRules().queryKey, now);
      toast("Call rules saved");
    },
  });
  const attempt = useMutation({ mutationFn: () => tryCallRules(rules) });
  const load = async () => {
    adopt(await client.fetchQuery({ ...callRules(), staleTime: 0 }));
    save.reset();
    attempt.reset();
  };
  const change = (next: CallRule[]) => {
    setRules(next);
    attempt.reset();
    save.reset();
  };
  const focus = (at: number, part: string) =>
    requestAnimationFrame(() =>
      list.current?.children[at]?.querySelector<HTMLElement>(`[data-part=${part}]`)?.focus(),
    );
  const move = (at: number, by: -1 | 1) => {
    const next = [...rules];
    const [rule] = next.splice(at, 1);
    if (rule) next.splice(at + by, 0, rule);
    change(next);
    // At the end of the list the pressed button is disabled, so the focus moves to the other one.
    const isEnded = at + by === 0 || at + by === rules.length - 1;
    focus(at + by, (by === -1) !== isEnded ? "up" : "down");
  };
  const keep = (rule: CallRule) => {
    change(open === "new" ? [...rules, rule] : rules.map((each, at) => (at === open ? rule : each)));
    setOpen(null);
  };
  const add = (
    <Button onClick={() => setOpen("new")}>
      <Plus aria-hidden strokeWidth={1.75} />
      Add a rule…
    </Button>
  );
  return (
    <Section
      title="Call rules"
      description="Each call of a tool, by a member, a key or an agent, goes through these rules from top to bottom. The first rule that matches decides: the call is allowed, requires approval, or is denied. If none matches, the call is allowed, unless what an agent was granted says otherwise."
      action={rules.length > 0 && add}
    >
      {rules.length === 0 ? (
        <Empty icon={ListChecks} title="No call rules yet" action={add}>
          Every call is allowed, unless what an agent was granted says otherwise.
        </Empty>
      ) : (
        <ol ref={list} aria-label="Call rules" className="flex flex-col divide-y divide-line">
          {rules.map((rule, at) => (
            <RuleRow
              key={rule.name}
              rule={rule}
              servers={servers}
              warnings={warningsOf(saved, rule)}
              place={at}
              isLast={at === rules.length - 1}
              onMove={(by) => move(at, by)}
              onEdit={() => setOpen(at)}
              onRemove={() => {
                change(rules.filter((each) => each !== rule));
                focus(Math.min(at, rules.length - 2), "remove");
              }}
            />
          ))}
        </ol>
      )}
      {isOld || isVersionChanged(save.error) ? (
        <Notice
          live
          tone="bad"
          title="Somebody has changed these rules meanwhile."
          action={<Button onClick={() => void load()}>Load the current rules</Button>}
        >
          <p>Loading them discards your changes.</p>
        </Notice>
      ) : (
        save.error && <SaveFailure error={save.error} rules={rules} />
      )}
      <ExampleButtons
        of="Rules to start from"
        examples={CALL_EXAMPLES.filter(({ name }) => !rules.some((rule) => rule.name === name))}
        onTake={(example) => {
          const { rules: now, at } = withExample(rules, example);
          change(now);
          focus(at, "edit");
        }}
      />
      {(rules.length > 0 || isChanged) && (
        <SaveBar isChanged={isChanged}>
          <Button variant="primary" disabled={!isChanged || save.isPending} onClick={() => save.mutate()}>
            {save.isPending ? "Saving…" : "Save rules"}
          </Button>
          <Button disabled={attempt.isPending} onClick={() => attempt.mutate()}>
            {attempt.isPending ? "Trying…" : "Try on the last 100 calls"}
          </Button>
          {isChanged && (
            <Button variant="ghost" onClick={() => change(saved.rules)}>
              Discard changes
            </Button>
          )}
        </SaveBar>
      )}
      {attempt.error && <Notice live tone="bad" title={errorSentence(attempt.error)} />}
      {attempt.data && <TriedCallsList tried={attempt.data} />}
      {open !== null && (
        <RuleDialog
          rule={open === "new" ? null : (rules[open] ?? null)}
          names={rules.filter((_, at) => at !== open).map(({ name }) => name)}
          servers={servers}
          onKeep={keep}
          onClose={() => setOpen(null)}
        />
      )}
    </Section>
  );
}

function isVersionChanged(error: Error | null): boolean {
  return error instanceof ApiError && error.code === "version_changed";
}

/** Of a rule as it was saved: one that was changed since is warned of where it is changed. */
function warningsOf(saved: CallRules, rule: CallRule): string[] {
  const place = `rules.${saved.rules.indexOf(rule)}.`;
  return warningWords(saved.warnings.filter(({ field }) => field.startsWith(place)));
}

function SaveFailure({ error, rules }: { error: Error; rules: CallRule[] }) {
  const [first] = error instanceof ApiError ? error.errors : [];
  const name = rules[Number(/^rules\.(\d+)\./.exec(first?.field ?? "")?.[1])]?.name;
  const words = first ? first.message : errorSentence(error);
  return <Notice live tone="bad" title={name === undefined ? words : `“${name}”: ${words}`} />;
}
