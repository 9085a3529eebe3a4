import { ApproversField } from "./approvers-field.tsx";
import { changed, type DraftStage } from "./draft.ts";
import { DurationLine, DurationsLine } from "./duration-lines.tsx";
import { Check, Checks, NumberLine, TextLine } from "./fields.tsx";

/** One stage of a rule: who votes, how many have to agree, and what happens while they don't. */
export function StageForm({
  place,
  stage,
  groups,
  onChange,
}: {
  place: string;
  stage: DraftStage;
  groups: string[];
  onChange: (stage: DraftStage) => void;
}) {
  const set = (change: Partial<DraftStage>) => onChange(changed(stage, change));
  const { escalate } = stage;
  return (
    <>
      <TextLine
        required
        place={`${place}.name`}
        label="Name of the stage"
        value={stage.name}
        onChange={(name) => set({ name })}
      />
      <ApproversField
        legend="Who may vote"
        place={`${place}.approvers`}
        value={stage.approvers}
        groups={groups}
        onChange={(approvers) => set({ approvers })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberLine
          place={`${place}.need`}
          label="How many have to agree"
          need="else 1"
          value={stage.need}
          onChange={(need) => set({ need: need === 1 ? undefined : need })}
        />
        <NumberLine
          place={`${place}.rejections`}
          label="Rejections that end the request"
          need="else 1"
          value={stage.rejections}
          onChange={(rejections) => set({ rejections: rejections === 1 ? undefined : rejections })}
        />
      </div>
      <Check
        label="Voters confirm their identity within 5 minutes before the vote. Keys can’t"
        checked={stage.stepUp === true}
        onChange={(checked) => set({ stepUp: checked || undefined })}
      />
      <Checks
        legend="A reason is required to"
        values={stage.requireReason}
        options={[
          { value: "approve", label: "approve" },
          { value: "reject", label: "reject" },
        ]}
        onChange={(requireReason) => set({ requireReason })}
      />
      <DurationsLine
        place={`${place}.remind`}
        label="Remind after"
        noun="reminder"
        description="Counted from when the stage opens."
        value={stage.remind}
        onChange={(remind) => set({ remind })}
      />
      <Check
        label="Ask more people if it takes too long"
        checked={Boolean(escalate)}
        onChange={(checked) => set({ escalate: checked ? { after: "2d", to: {} } : undefined })}
      />
      {escalate && (
        <>
          <DurationLine
            required
            place={`${place}.escalate.after`}
            label="Ask them after"
            value={escalate.after}
            onChange={(after) => set({ escalate: changed(escalate, { after }) })}
          />
          <ApproversField
            legend="Who is also asked"
            place={`${place}.escalate.to`}
            value={escalate.to}
            groups={groups}
            onChange={(to) => set({ escalate: changed(escalate, { to }) })}
          />
        </>
      )}
    </>
  );
}
