"use client";

import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/field.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { goOnFrom } from "../answer/decision-store.ts";
import { useShowRequest } from "./thread-data.ts";

/** Puts a request off for oneself, until one of a few times or any other. */
export function SnoozeDialog({ request, onDismiss }: { request: InputRequestDetail; onDismiss: () => void }) {
  const formats = useFormats();
  const id = useId();
  const show = useShowRequest(request.id);
  const [times] = useState(() => snoozeTimes(new Date()));
  const [typed, setTyped] = useState("");
  const other = timeOf(typed);
  const snooze = useMutation({
    mutationFn: (until: Date) =>
      api.put<InputRequestDetail>(`/api/v1/input-requests/${request.id}/snooze`, {
        until: until.toISOString(),
      }),
    onSuccess: (now, until) => {
      const snoozed = `Snoozed ${requestName(request)} until ${formats.dayAndTime(until.toISOString())}`;
      const isGivenBack = request.assignedTo !== null && now.assignedTo === null;
      toast(isGivenBack ? `${snoozed}. It is no longer assigned to you` : snoozed);
      onDismiss();
      goOnFrom(request.id, "skip");
      show(now);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title={`Snooze ${requestName(request)}`}
      description="The request is hidden from “For you” until that time. Others still see it and can decide."
    >
      <div className="flex flex-col gap-1">
        {times.map(({ words, at }) => (
          <Button key={words} variant="ghost" disabled={snooze.isPending} onClick={() => snooze.mutate(at)}>
            {words}
            <span className="ml-auto font-normal text-muted">{formats.dayAndTime(at.toISOString())}</span>
          </Button>
        ))}
      </div>
      <form
        className="flex flex-col gap-1.5"
        onSubmit={(event) => {
          event.preventDefault();
          if (other) snooze.mutate(other);
        }}
      >
        <label htmlFor={id} className="font-medium text-[13px] text-muted">
          Another time
        </label>
        <Input
          id={id}
          type="datetime-local"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {snooze.error && (
          <p role="alert" className="text-[13px] text-bad">
            {errorSentence(snooze.error)}
          </p>
        )}
        <DialogActions>
          <Button onClick={onDismiss}>Close</Button>
          <Button type="submit" variant="primary" disabled={other === null || snooze.isPending}>
            Snooze
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Times until which a request is put off, as people say them. Pure. */

export interface SnoozeTime {
  words: string;
  at: Date;
}

/** The hour at which a morning begins. */
const MORNING = 9;

/** The choices at a moment, where the person is: hours from now, tomorrow morning, and the morning of next Monday. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  const inDays = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING);
  // From Monday on, the Monday of next week.
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { words: "In 1 hour", at: inHours(1) },
    { words: "In 4 hours", at: inHours(4) },
    { words: "Tomorrow morning", at: inDays(1) },
    ...(toMonday === 1 ? [] : [{ words: "Monday morning", at: inDays(toMonday) }]),
  ];
}

/** What a `datetime-local` field says, or null for no time. */
export function timeOf(typed: string): Date | null {
  const at = new Date(typed);
  return typed === "" || Number.isNaN(at.getTime()) ? null : at;
}
