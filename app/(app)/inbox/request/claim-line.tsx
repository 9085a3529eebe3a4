"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** Whose it is at the moment, since when, and what the others can do. */
export function ClaimLine({ request, onTakeOver }: { request: InputRequestDetail; onTakeOver: () => void }) {
  const me = useMe();
  const claim = request.claimedBy;
  if (!claim) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        Claimed by <span className="font-medium text-ink">{claim.name}</span> <TimeAgo at={claim.at} /> · Ask{" "}
        {claim.name}, or wait: unused, the claim ends at {clock(claim.until)}.
      </span>
      {me.may("requests:assign") && (
        <Button size="sm" onClick={onTakeOver}>
          Take over
        </Button>
      )}
    </span>
  );
}

function clock(at: string): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(new Date(at));
}
