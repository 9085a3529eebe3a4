import { useState } from "react";
import { changed, type DraftRule, type DraftStage } from "./draft.ts";
import { Check, Choice, ProblemLine, TextLine } from "./fields.tsx";
import { OrderedList } from "./ordered-list.tsx";
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
        description="Shown to whoever is asked."
        value={rule.name}
        onChange={(name) => set({ name })}
      />
      <TextLine
        mono
        rows={3}
        place={`${place}.when`}
        label="Condition"
        need="every request without one"
        hint={<ConditionHelp />}
        placeholder="request.amount != null && request.amount >= 5000.0"
        value={rule.when}
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
        label="Whoever asked for the task may vote too"
        checked={rule.requester === "allowed"}
        onChange={(checked) => set({ requester: checked ? "allowed" : undefined })}
      />
      <TextLine
        place={`${place}.due`}
        label="Due after"
        description="A time such as 3d. It is shown with the request, and nothing happens then."
        value={rule.due}
        onChange={(due) => set({ due: due === "" ? undefined : due })}
      />
      <Check
        label="If nobody decides in time"
        checked={Boolean(expire)}
        onChange={(checked) => set({ expire: checked ? END : undefined })}
      />
      {expire && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextLine
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

function ConditionHelp() {
  return (
    <>
      An expression in CEL. It can use <code>server.name</code>, <code>tool</code>,{" "}
      <code>request.amount</code>, <code>request.currency</code>, <code>request.message</code>,{" "}
      <code>request.url</code>, <code>task.label</code>, <code>task.arguments.…</code>,{" "}
      <code>requester.role</code>, <code>requester.groups</code>, <code>agent</code> and <code>now</code>.
      Where it fails for a request, the rule counts as one that matches: without an amount{" "}
      <code>request.amount &gt;= 5000</code> fails. Write{" "}
      <code>request.amount != null &amp;&amp; request.amount &gt;= 5000</code> to leave such requests out.
    </>
  );
}
