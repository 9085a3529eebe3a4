"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";

/** One line that says why this person sees the request. */
export function WhySeen({
  request,
  className,
}: {
  request: Pick<InputRequestSummary, "seenBecause" | "state">;
  className?: string;
}) {
  const me = useMe();
  return (
    <p className={cn("text-muted text-xs", className)}>
      {whySeen(request, me.organization.name, me.may("requests:answer"))}
    </p>
  );
}

function whySeen(
  { seenBecause, state }: Pick<InputRequestSummary, "seenBecause" | "state">,
  organization: string,
  mayAnswer: boolean,
): string {
  switch (seenBecause) {
    case "assigned":
      return "You see this because it is assigned to you.";
    case "claimed":
      return "You see this because you claimed it.";
    case "requester":
      return "You see this because you started the task, which is private.";
    case "organization":
      return mayAnswer && state === "open"
        ? `You see this because every approver of ${organization} may answer it.`
        : `You see this because everyone in ${organization} may read it.`;
  }
}
