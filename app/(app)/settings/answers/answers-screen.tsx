"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { UndoWindow } from "@/lib/people/organizations/organization-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { declineReasons, undoWindow } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";
import { ReasonsEditor } from "./reasons-editor.tsx";

const CHOICES_MS = [0, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000];

/** How long a decision can be undone. Saved on selection. */
function UndoWindowForm({ savedMs }: { savedMs: number }) {
  const id = useId();
  const save = useSave(
    undoWindow().queryKey,
    (value: UndoWindow) => api.put<UndoWindow>("/api/v1/undo-window", value),
    { done: "Time to undo saved" },
  );
  const shown = save.isPending ? save.variables.holdMs : savedMs;
  // The API accepts any duration, so the saved one is added to the choices.
  const choices = [...new Set([...CHOICES_MS, savedMs])].sort((a, b) => a - b);
  return (
    <Section
      title="Time to undo"
      description="An answer given on a screen waits this long before it is sent, so that you can undo it."
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

/** How this organization answers: the reasons for declining, and the undo window. */
export function AnswersScreen() {
  const me = useMe();
  const reasons = useQuery(declineReasons());
  const undo = useQuery(undoWindow());
  if (!me.may("settings:manage"))
    return <Notice title="Only admins change how the organization answers.">Ask one of them.</Notice>;
  const failed = [reasons, undo].find((query) => query.isError);
  if (failed?.error) {
    const retry = () => void Promise.all([reasons.refetch(), undo.refetch()]);
    return <LoadFailure what="The settings" error={failed.error} onRetry={retry} />;
  }
  if (!reasons.data || !undo.data) {
    return (
      <div aria-hidden className="flex flex-col gap-4">
        <div className="skeleton h-5 w-48" />
        <div className="skeleton h-44" />
        <div className="skeleton h-24" />
      </div>
    );
  }
  return (
    <>
      <ReasonsEditor saved={reasons.data.reasons} />
      <UndoWindowForm savedMs={undo.data.holdMs} />
    </>
  );
}
