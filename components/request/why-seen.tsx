"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";

/** One line that says who sees the request, and who decides; nothing where the header says that it is one's own. */
export function WhySeen({
  request: { approval, seenBecause, state, urlOwner },
  className,
}: {
  request: Pick<InputRequestSummary, "approval" | "seenBecause" | "state" | "urlOwner">;
  className?: string;
}) {
  const { may, organization, user } = useMe();
  if (seenBecause === "assigned" || seenBecause === "claimed") return null;
  return (
    <p className={cn("text-muted text-xs", className)}>
      {seenBecause === "requester"
        ? "Private: you started this task"
        : may("requests:answer") && state === "open" && approval === null
          ? urlOwner
            ? `Only ${urlOwner.id === user.id ? "you" : urlOwner.name} can accept; approvers can decline`
            : `Open to all ${organization.name} approvers`
          : `Visible to everyone in ${organization.name}`}
    </p>
  );
}
