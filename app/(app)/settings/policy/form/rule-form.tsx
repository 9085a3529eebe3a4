import { useState } from "react";
import { ConditionField } from "../../conditions/condition-field.tsx";
import { changed, type DraftRule, type DraftStage } from "./draft.ts";
import { DurationLine } from "./duration-lines.tsx";
import { Check, Choice, ProblemLine, TextLine } from "./fields.tsx";
import { OrderedList } from "./ordered-list.tsx";
import { useProblem } from "./problems.tsx";
import { StageForm } from "./stage-form.tsx";

/** One rule: which requests it is about, who decides on them one after the other, and by when. */
export function RuleForm({
  place,
  rule,
  groups,
  openStage,
  onChange,
}: {
  place: string;
  rule: DraftRule;
  groups: string[];
  /** The place of the stage that a problem leads to. */
  openStage: string | null;
  onChange: (rule: DraftRule) => void;
}) {
  const stages = rule.stages ?? [];
  const [open, setOpen] = useState(openStage ?? (stages.length === 1 ? `${place}.stages.0` : null));
  const [led, setLed] = useState(openStage);
  if (led !== openStage) {
    setLed(openStage);
    if (openStage) setOpen(openStage);
  }
  const set = (change: Partial<DraftRule>) => onChange(changed(rule, change));
  const { expire } = rule;
  return (
    <>
      <TextLine
        required
        place={`${place}.name`}
        label="Name"
        description="Shown to everybody who is asked."
        value={rule.name}
        onChange={(name) => set({ name })}
      />
      <ConditionField
        rules="policy"
        place={`${place}.when`}
        everything="The rule is for every request."
        hint="If it can’t be applied to a request, the rule counts as one that matches."
        error={useProblem(`${place}.when`)}
        value={rule.when ?? ""}
        onChange={(when) => set({ when: when === "" ? undefined : when })}
      />
      <OrderedList<DraftStage>
        isOrdered
        label="Stages"
        noun="stage"
        place={`${place}.stages`}
        items={stages}
        made={() => ({ name: "Approvers", approvers: { roles: ["approver"] } })}
        onChange={(now) => set({ stages: now })}
        open={open}
        onOpen={setOpen}
        empty="A rule has one stage at least."
        words={(stage) => `${stage.need ?? 1} of ${approversInWords(stage)}`}
      >
        {(stage, at, setStage) => (
          <StageForm place={`${place}.stages.${at}`} stage={stage} groups={groups} onChange={setStage} />
        )}
      </OrderedList>
      <ProblemLine place={`${place}.stages`} besides={stages.map((_, at) => `${place}.stages.${at}`)} />
      <Check
        label="The requester may vote too"
        checked={rule.requester === "allowed"}
        onChange={(checked) => set({ requester: checked ? "allowed" : undefined })}
      />
      <DurationLine
        place={`${place}.due`}
        label="Due after"
        description="Shown with the request. Nothing happens then."
        value={rule.due}
        onChange={(due) => set({ due })}
      />
      <Check
        label="If nobody decides in time"
        checked={Boolean(expire)}
        onChange={(checked) => set({ expire: checked ? END : undefined })}
      />
      {expire && (
        <div className="flex flex-col gap-4">
          <DurationLine
            required
            place={`${place}.expire.after`}
            label="After"
            value={expire.after}
            onChange={(after) => set({ expire: changed(expire, { after }) })}
          />
          <Choice
            place={`${place}.expire.then`}
            label="What happens then"
            value={expire.then ?? ""}
            options={{ leave: "It stays open, without reminders", cancel: "The task is cancelled" }}
            onChange={(then) => set({ expire: changed(expire, { then }) })}
          />
        </div>
      )}
    </>
  );
}

// biome-ignore lint/suspicious/noThenProperty: the policy's own word, and no function.
const END = { after: "30d", then: "leave" };

function approversInWords({ approvers = {} }: DraftStage): string {
  const all = [
    ...(approvers.roles ?? []).map((role) => `the ${role}s`),
    ...(approvers.groups ?? []).map((group) => `group ${group}`),
    ...(approvers.people ?? []),
  ];
  return all.join(", ") || "nobody";
}
