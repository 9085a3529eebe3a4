import { ConditionField } from "../../conditions/condition-field.tsx";
import { changed, type DraftAutomatic } from "./draft.ts";
import { Choice, JsonLine, NumberLine, TextLine, TypedLine } from "./fields.tsx";
import { useProblem } from "./problems.tsx";

/** One rule that answers without a person. */
export function AutomaticForm({
  place,
  rule,
  onChange,
}: {
  place: string;
  rule: DraftAutomatic;
  onChange: (rule: DraftAutomatic) => void;
}) {
  const set = (change: Partial<DraftAutomatic>) => onChange(changed(rule, change));
  const { answer = {} } = rule;
  return (
    <>
      <TextLine
        required
        place={`${place}.name`}
        label="Name"
        value={rule.name}
        onChange={(name) => set({ name })}
      />
      <ConditionField
        rules="automatic"
        place={`${place}.when`}
        everything="Say which requests it answers."
        required
        hint="If it can’t be applied to a request, people decide."
        error={useProblem(`${place}.when`)}
        value={rule.when ?? ""}
        onChange={(when) => set({ when })}
      />
      <Choice
        place={`${place}.answer.action`}
        label="Answer"
        value={answer.action ?? ""}
        options={{ accept: "Accept", decline: "Decline" }}
        onChange={(action) =>
          set({
            answer: changed(answer, { action, ...(action === "decline" && { content: undefined }) }),
          })
        }
      />
      {answer.action !== "decline" && (
        <JsonLine
          place={`${place}.answer.content`}
          label="Content of the form"
          need="none for a form without fields"
          value={answer.content}
          onChange={(content) => set({ answer: changed(answer, { content }) })}
        />
      )}
      <Choice
        place={`${place}.mode`}
        label="Mode"
        value={rule.mode ?? "off"}
        options={{
          off: "Off",
          shadow: "Shadow: compared with people’s answers, never sent",
          live: "Live: answers are sent",
        }}
        onChange={(mode) => set({ mode: mode === "off" ? undefined : mode })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberLine
          place={`${place}.dailyCap`}
          label="Answers a day, at most"
          need="50 unless given"
          value={rule.dailyCap}
          onChange={(dailyCap) => set({ dailyCap })}
        />
        <TypedLine
          place={`${place}.sample`}
          label="Percent that people still decide, as a check"
          need="5 unless given"
          numeric
          wrong="Use a number from 0 to 100"
          value={rule.sample}
          read={(text) => (text.trim() === "" ? { value: undefined } : percentIn(text))}
          write={(value) => (value === undefined ? "" : String(Number((value * 100).toFixed(4))))}
          onChange={(sample) => set({ sample })}
        />
      </div>
    </>
  );
}

function percentIn(text: string): { value: number | undefined } | null {
  const percent = /^\s*\d{1,3}(\.\d{1,4})?\s*$/.test(text) ? Number(text) : Number.NaN;
  return percent <= 100 ? { value: Number((percent / 100).toFixed(6)) } : null;
}
