"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { capitalise } from "@/lib/text/labels.ts";
import { groups as groupsOfOrganization } from "@/lib/web/client/settings/policy.ts";
import { ConditionText } from "../../conditions/condition-text.tsx";
import { ExampleButtons } from "../../conditions/example-buttons.tsx";
import { POLICY_EXAMPLES, withExample } from "../../conditions/examples.ts";
import { PeopleField } from "./approvers-field.tsx";
import { AutomaticForm } from "./automatic-form.tsx";
import { CaseForm } from "./case-form.tsx";
import {
  changed,
  type Draft,
  type DraftAutomatic,
  type DraftCase,
  type DraftRule,
  namesOfGroups,
  some,
  stagesInWords,
  withGroupRenamed,
} from "./draft.ts";
import { focusOn, OrderedList } from "./ordered-list.tsx";
import { type Problem, ProblemsOf, UNREADABLE, useNoteUnreadable, useProblem } from "./problems.tsx";
import { RuleForm } from "./rule-form.tsx";

/** Such names come first among the keys of an object, whenever they were made. */
const IS_INDEX = /^\d+$/;

/**
 * The name of a group of the policy. The draft knows groups by name, so it takes the typed name at once, with two exceptions. It never
 * takes another group's name, which would merge the two. A name that moves the group in the list counts when the field is left.
 */
function GroupName({
  place,
  name,
  others,
  onRename,
}: {
  place: string;
  name: string;
  /** The other names that stand for a group, also for one of the organization's that a stage names. */
  others: string[];
  onRename: (name: string) => void;
}) {
  /** Null: the name is as typed. */
  const [typed, setTyped] = useState<string | null>(null);
  const isTaken = typed !== null && others.includes(typed);
  const problem = useProblem(place);
  useNoteUnreadable(place, isTaken ? UNREADABLE : null);
  const settle = (now: string) => {
    setTyped(null);
    if (now !== name) onRename(now);
  };
  return (
    <Field
      id={place}
      label="Name"
      description="Stages and tests follow a new name; conditions keep the old one."
      required
      error={isTaken ? "Another group has this name" : problem}
    >
      {(control) => (
        <Input
          {...control}
          value={typed ?? name}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) =>
            others.includes(target.value) || IS_INDEX.test(target.value)
              ? setTyped(target.value)
              : settle(target.value)
          }
          onBlur={() => typed !== null && !isTaken && settle(typed)}
        />
      )}
    </Field>
  );
}

interface DraftGroup {
  name?: string;
  people: string[];
}

/** The policy as a form. */
export function PolicyForm({
  draft,
  problems,
  open,
  ledTo,
  onOpen,
  onChange,
}: {
  draft: Draft;
  problems: Problem[];
  /** The place of the item that is open, as `rules.0`. */
  open: string | null;
  /** The place of the problem that somebody was led to. */
  ledTo: string | null;
  onOpen: (place: string | null) => void;
  onChange: (draft: Draft) => void;
}) {
  const rules = draft.rules ?? [];
  const groups = Object.entries(draft.groups ?? {}).map(([name, people]): DraftGroup => ({ name, people }));
  const names = Object.keys(draft.groups ?? {});
  const ofOrganization = useQuery(groupsOfOrganization()).data?.items ?? [];
  // A name of the policy's means its own group.
  const offered = [...new Set([...names, ...ofOrganization.map(({ name }) => name)])];
  const set = (change: Partial<Draft>) => onChange(changed(draft, change));
  const shown = { open, onOpen };
  return (
    <ProblemsOf problems={problems}>
      <div className="flex min-w-0 flex-col gap-6">
        <OrderedList<DraftRule>
          {...shown}
          isOrdered
          label="Rules"
          noun="rule"
          place="rules"
          items={rules}
          made={() => ({
            name: "New rule",
            stages: [{ name: "Approvers", approvers: { roles: ["approver"] } }],
          })}
          onChange={(now) => set({ rules: now })}
          empty="No rules yet: any one member decides, except viewers."
          words={(rule, at) => (
            <RuleWords rule={rule} forAll={rules.slice(0, at).find(({ when }) => !when)?.name ?? null} />
          )}
        >
          {(rule, at, setRule) => (
            <RuleForm
              place={`rules.${at}`}
              rule={rule}
              groups={offered}
              openStage={stageOf(ledTo, at)}
              onChange={setRule}
            />
          )}
        </OrderedList>
        <ExampleButtons
          of="Rules to start from"
          examples={POLICY_EXAMPLES.filter(({ name }) => !rules.some((rule) => rule.name === name))}
          onTake={(example) => {
            const { rules: now, at } = withExample(rules, example);
            set({ rules: now });
            onOpen(`rules.${at}`);
            focusOn(`rules.${at}.name`);
          }}
        />
        <OrderedList<DraftGroup>
          {...shown}
          isOrdered={false}
          label="Groups of the policy"
          noun="group"
          place="groups"
          items={groups}
          made={() => ({ name: "group", people: [] })}
          onChange={(now) =>
            set({
              groups: some(now) && Object.fromEntries(now.map(({ name, people }) => [name ?? "", people])),
            })
          }
          empty="None. Stages can also name the groups of Settings → Groups."
          words={({ people }) => people.join(", ") || "Nobody"}
        >
          {({ name = "", people }, at, setGroup) => (
            <>
              <GroupName
                place={`groups.${at}.name`}
                name={name}
                others={namesOfGroups(draft).filter((other) => other !== name)}
                onRename={(now) => onChange(withGroupRenamed(draft, name, now))}
              />
              <PeopleField
                label="People in it"
                place={`groups.${name}`}
                value={people}
                onChange={(now) => setGroup({ name, people: now })}
              />
            </>
          )}
        </OrderedList>
        <OrderedList<DraftAutomatic>
          {...shown}
          isOrdered
          label="Automatic rules"
          noun="automatic rule"
          place="automatic"
          items={draft.automatic ?? []}
          made={() => ({ name: "New rule", when: "", answer: { action: "accept" } })}
          onChange={(now) => set({ automatic: some(now) })}
          empty="None: people answer everything."
          words={({ mode = "off", when }) => (
            <>
              {capitalise(mode)}
              {when && <ConditionText rules="automatic" condition={when} />}
            </>
          )}
        >
          {(rule, at, setRule) => <AutomaticForm place={`automatic.${at}`} rule={rule} onChange={setRule} />}
        </OrderedList>
        <OrderedList<DraftCase>
          {...shown}
          isOrdered={false}
          label="Tests"
          noun="test"
          place="tests"
          items={draft.tests ?? []}
          made={() => ({ name: "Test", request: {}, expect: { rule: null } })}
          onChange={(now) => set({ tests: some(now) })}
          empty="None. A policy that fails one of its tests can’t be saved."
          words={(test, at) =>
            caseWords(
              test,
              problems.find(({ field }) => field.startsWith(`tests.${at}.`)),
            )
          }
        >
          {(test, at, setTest) => (
            <CaseForm
              place={`tests.${at}`}
              test={test}
              rules={rules.flatMap(({ name }) => name ?? [])}
              onChange={setTest}
            />
          )}
        </OrderedList>
      </div>
    </ProblemsOf>
  );
}

/** `rules.2.stages.1` of a place within the rule; null: it is elsewhere. */
function stageOf(place: string | null, rule: number): string | null {
  const [found, at] = /^rules\.(\d+)\.stages\.\d+/.exec(place ?? "") ?? [];
  return found !== undefined && Number(at) === rule ? found : null;
}

function RuleWords({
  rule: { when, stages = [] },
  forAll,
}: {
  rule: DraftRule;
  /** A rule above that every request matches. */
  forAll: string | null;
}) {
  return (
    <>
      {forAll !== null && (
        <span className="block text-wait">
          <PlainText text={`Never used: “${forAll}” above is for every request`} />
        </span>
      )}
      <PlainText text={stagesInWords(stages)} />
      {when && <ConditionText rules="policy" condition={when} />}
    </>
  );
}

function caseWords({ expect: expected }: DraftCase, problem: Problem | undefined): string {
  const wanted = expected?.rule ? `gets “${expected.rule}”` : "gets no rule";
  return problem ? `Fails: ${problem.message}` : wanted;
}
