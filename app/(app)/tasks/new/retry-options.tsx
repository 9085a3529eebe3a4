"use client";

import { Field, Input, Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Retry } from "@/lib/tasks/task-schema.ts";

/** The choice on screen; `typed`: the confirmation for a call that is not repeatable. */
export interface RetryChoice {
  attempts: number;
  backoffMs: number;
  errors: boolean;
  typed: string;
}
export const NO_RETRY: RetryChoice = { attempts: 1, backoffMs: 60_000, errors: false, typed: "" };

const INSISTENCE = "repeat it";
const PAUSES = [
  { ms: 10_000, words: "10 seconds" },
  { ms: 60_000, words: "1 minute" },
  { ms: 600_000, words: "10 minutes" },
  { ms: 3_600_000, words: "1 hour" },
];

/**
 * Converts the choice for the API. Returns null for no retries, undefined if the required confirmation is
 * missing.
 */
export function toRetry(choice: RetryChoice, repeatable: boolean): Retry | null | undefined {
  if (choice.attempts === 1) return null;
  const insist = !repeatable && choice.typed.trim().toLowerCase() === INSISTENCE;
  if (!repeatable && !insist) return undefined;
  const { attempts, backoffMs, errors } = choice;
  return { attempts, backoffMs, errors, insist };
}

/** Whether and how often a failed call is retried, with the confirmation if required. */
export function RetryOptions({
  choice,
  repeatable,
  onChange,
}: {
  choice: RetryChoice;
  /** The server declares that repeating the call is harmless. */
  repeatable: boolean;
  onChange: (choice: RetryChoice) => void;
}) {
  const isOn = choice.attempts > 1;
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="sr-only">On failure</legend>
      <div className="grid gap-4 md:grid-cols-2">
        <Field id="retry-attempts" label="On failure" required>
          {(control) => (
            <Select
              {...control}
              value={choice.attempts}
              onChange={(event) => onChange({ ...choice, attempts: Number(event.target.value) })}
            >
              <option value={1}>Don’t retry</option>
              {[2, 3, 5, 10].map((attempts) => (
                <option key={attempts} value={attempts}>
                  Try again, {attempts} attempts in all
                </option>
              ))}
            </Select>
          )}
        </Field>
        {isOn && (
          <Field id="retry-pause" label="First pause" hint="The pause doubles with each attempt." required>
            {(control) => (
              <Select
                {...control}
                value={choice.backoffMs}
                onChange={(event) => onChange({ ...choice, backoffMs: Number(event.target.value) })}
              >
                {PAUSES.map(({ ms, words }) => (
                  <option key={ms} value={ms}>
                    {words}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      </div>
      {isOn && (
        <label className="flex items-center gap-2.5 max-md:min-h-11">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-(--accent)"
            checked={choice.errors}
            onChange={(event) => onChange({ ...choice, errors: event.target.checked })}
          />
          Also try again if the server marks the result as an error
        </label>
      )}
      {isOn && !repeatable && (
        <Notice tone="wait" title="The server does not say that this call can be repeated without harm.">
          <p>
            A failed attempt may have done part of the work. Another attempt may then repeat it, such as pay
            twice.
          </p>
          <div className="max-w-xs pt-1">
            <Field
              id="retry-insist"
              label={`Type “${INSISTENCE}” if you know that the call can be repeated`}
              required
            >
              {(control) => (
                <Input
                  {...control}
                  autoComplete="off"
                  value={choice.typed}
                  onChange={(event) => onChange({ ...choice, typed: event.target.value })}
                />
              )}
            </Field>
          </div>
        </Notice>
      )}
    </fieldset>
  );
}
