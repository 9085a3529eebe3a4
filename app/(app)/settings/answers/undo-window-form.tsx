"use client";

import { useId } from "react";
import { Select } from "@/components/ui/select.tsx";
import { undoWindow } from "@/lib/api-client/answers.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import type { UndoWindow } from "@/lib/organizations/schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { Section } from "../section.tsx";
import { useSave } from "./use-save.ts";

const CHOICES_MS = [0, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** How long a decision can be undone. Saved on selection. */
export function UndoWindowForm({ savedMs }: { savedMs: number }) {
  const id = useId();
  const save = useSave<UndoWindow>("/api/v1/undo-window", undoWindow().queryKey, "Time to undo saved");
  const shown = save.isPending ? save.variables.holdMs : savedMs;
  // The API accepts any duration, so the saved one is added to the choices.
  const choices = [...new Set([...CHOICES_MS, savedMs])].sort((a, b) => a - b);
  return (
    <Section
      title="Time to undo"
      description="An answer given on a screen waits this long before it leaves for the server, so that a slip can be taken back with Undo."
    >
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium text-[13px]">
          Answers wait
        </label>
        <Select
          id={id}
          className="w-56"
          value={shown}
          onChange={(event) => save.mutate({ holdMs: Number(event.target.value) })}
        >
          {choices.map((ms) => (
            <option key={ms} value={ms}>
              {ms === 0 ? "Not at all: no undo" : formatDuration(ms)}
            </option>
          ))}
        </Select>
        {save.isError && (
          <p role="alert" className="text-bad">
            {errorSentence(save.error)}
          </p>
        )}
      </div>
    </Section>
  );
}
