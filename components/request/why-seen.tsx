"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { whoDecides } from "@/lib/requests/words/request-labels.ts";

/** One line that says who sees the request, and who decides; nothing where the header says that it is one's own. */
export function WhySeen({
  request: { approval, seenBecause, secondPerson, state, urlOwner },
  className,
}: {
  request: Pick<InputRequestDetail, "approval" | "seenBecause" | "secondPerson" | "state" | "urlOwner">;
  className?: string;
}) {
  const { may, organization, user } = useMe();
  if (seenBecause === "assigned" || seenBecause === "claimed") return null;
  return (
    <p className={cn("text-muted text-xs", className)}>
      {seenBecause === "requester"
        ? "Private: you started this task"
        : may("requests:answer") && state === "open" && approval === null
          ? whoDecides({ urlOwner, secondPerson }, { organization, user })
          : `Visible to everyone in ${organization.name}`}
    </p>
  );
}
