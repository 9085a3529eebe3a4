"use client";

import {
  Check,
  FileCheck2,
  Link2,
  type LucideIcon,
  MessageSquareText,
  Rocket,
  Trash2,
  UserPlus,
} from "lucide-react";
import { useMe } from "@/components/shell/me.tsx";
import { Age } from "@/components/time/time.tsx";
import { TimeLeftBadge } from "@/components/time/time-left.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { cn } from "@/components/ui/cn.ts";
import { decidedWord } from "@/lib/format/decision.ts";
import { REQUEST_LABELS, REQUEST_TONES } from "@/lib/format/requests.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import type { StableRow } from "./use-stable-rows.ts";

export function RequestRow({
  row,
  selected,
  href,
  onOpen,
}: {
  row: StableRow;
  selected: boolean;
  href: string;
  onOpen: () => void;
}) {
  const { request, gone } = row;
  const Icon = iconOf(request);
  return (
    <a
      id={`row-${request.id}`}
      href={href}
      aria-current={selected ? "true" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen();
      }}
      className={cn(
        "flex gap-3 border-l-2 py-3 pr-4 pl-3.5 focus-visible:-outline-offset-2",
        selected ? "border-accent bg-panel" : "border-transparent hover:bg-sunken",
      )}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" strokeWidth={1.75} />
      <span className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="flex items-start gap-3">
          <span className="line-clamp-2 min-w-0 flex-1 font-medium">{request.message}</span>
          <Age at={request.createdAt} className="shrink-0 text-muted text-xs leading-5" />
        </span>
        <span className="truncate text-[13px] text-muted">
          {request.server.name} · {request.tool}
        </span>
        <span className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
          <span className="mr-0.5 truncate">{request.requestedBy.name}</span>
          <RowBadges request={request} gone={gone} />
        </span>
      </span>
    </a>
  );
}

function RowBadges({ request, gone }: { request: InputRequestSummary; gone: boolean }) {
  const me = useMe();
  if (request.state !== "open") {
    const word = request.answer ? decidedWord(request.answer.action, request.answer.content) : null;
    const settled = request.state === "settled" || request.state === "answered";
    return (
      <Badge tone={REQUEST_TONES[request.state]}>
        {settled && word ? `${word} by ${request.answer?.by.name}` : REQUEST_LABELS[request.state]}
      </Badge>
    );
  }
  if (gone) return <Badge icon={Check}>No longer waiting</Badge>;
  return (
    <>
      {request.mode === "url" && <Badge tone="accent">Opens a site</Badge>}
      {request.expiresAt && <TimeLeftBadge until={request.expiresAt} />}
      {request.claimedBy && (
        <Badge>
          {request.claimedBy.id === me.user.id ? "Claimed by you" : `Claimed by ${request.claimedBy.name}`}
        </Badge>
      )}
      {request.assignedTo && !request.claimedBy && (
        <Badge>{request.assignedTo.id === me.user.id ? "For you" : `For ${request.assignedTo.name}`}</Badge>
      )}
      {request.askedAgain && <Badge>Asked again</Badge>}
    </>
  );
}

const ICONS: [RegExp, LucideIcon][] = [
  [/delete|remove|purge|drop|destroy|wipe/i, Trash2],
  [/invoice|payment|expense|approv|contract|order/i, FileCheck2],
  [/deploy|promote|release|publish|rollout/i, Rocket],
  [/access|grant|invite|member|permission/i, UserPlus],
];

/** A hint at what it is about, from the tool's name; nothing depends on it. */
function iconOf(request: InputRequestSummary): LucideIcon {
  if (request.mode === "url") return Link2;
  return ICONS.find(([pattern]) => pattern.test(request.tool))?.[1] ?? MessageSquareText;
}

export function RequestRowSkeleton() {
  return (
    <div aria-hidden className="border-line border-t">
      {[85, 60, 75, 50, 70].map((width) => (
        <div key={width} className="flex flex-col gap-2 border-line border-b py-3.5 pr-4 pl-11">
          <div className="skeleton h-4" style={{ width: `${width}%` }} />
          <div className="skeleton h-3 w-1/2" />
          <div className="skeleton h-4 w-24" />
        </div>
      ))}
    </div>
  );
}
