"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { declineReasons, undoWindow } from "@/lib/api-client/answers.ts";
import { ReasonsEditor } from "./reasons-editor.tsx";
import { UndoWindowForm } from "./undo-window-form.tsx";

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
