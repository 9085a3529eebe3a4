import { Field, Select } from "@/components/ui/field.tsx";
import { holdWords } from "@/lib/agents/agent-words.ts";

const HOLDS = [0, 20_000, 50_000, 110_000, 210_000];

/** How long a call waits for its result. Read by `readHold`. */
export function HoldField({ holdMs, error }: { holdMs: number | null; error: string | undefined }) {
  const offered = [...new Set([...HOLDS, ...(holdMs === null ? [] : [holdMs])])].sort((a, b) => a - b);
  return (
    <Field
      id="holdMs"
      label="Wait up to"
      description="How long the agent’s call stays open while it waits. Then it returns a task id, and the agent can wait again. Most clients give up after a minute."
      required
      error={error}
    >
      {(control) => (
        <Select {...control} name="holdMs" defaultValue={holdMs ?? ""}>
          <option value="">{holdWords(null)}</option>
          {offered.map((each) => (
            <option key={each} value={each}>
              {holdWords(each)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Null: as the client can bear. */
export function readHold(data: FormData): number | null {
  const chosen = data.get("holdMs");
  return chosen ? Number(chosen) : null;
}
