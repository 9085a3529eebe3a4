"use client";

import {
  Ban,
  Check,
  CircleSlash,
  Clock3,
  FileCheck2,
  Link2,
  Lock,
  type LucideIcon,
  MessageSquareText,
  Reply,
  Trash2,
  TriangleAlert,
  UserRound,
  UserRoundCheck,
  X,
} from "lucide-react";
import type { MouseEvent } from "react";
import { rowLinkId } from "@/components/list/use-list-keys.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Age } from "@/components/time/time.tsx";
import { TimeLeftBadge } from "@/components/time/time-left.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { cn } from "@/components/ui/cn.ts";
import { isWide } from "@/components/ui/wide.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { titleParts } from "@/lib/requests/words/inbox-rows.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { visibleText } from "@/lib/text/foreign/hidden.ts";
import { rowBadges } from "./row-badges.ts";
import type { StableRow } from "./row-changes.ts";

export interface RowSelection {
  checked: boolean;
  /** Every row shows a checkbox, and on a phone a tap selects instead of opening. */
  selecting: boolean;
  onToggle: (range: boolean) => void;
}

export function RequestRow({
  row,
  current,
  href,
  selection,
  onOpen,
}: {
  row: StableRow;
  /** Whether this request is open beside the list. */
  current: boolean;
  href: string;
  /** Null if the row cannot be selected. */
  selection: RowSelection | null;
  onOpen: (byKeyboard: boolean) => void;
}) {
  const { request } = row;
  const { preferences, formats } = useMe();
  const { name, amount } = titleParts(request, formats);
  const compact = preferences.density === "compact";
  const Icon = requestIcon(request);
  const click = (event: MouseEvent) => {
    // Ctrl and Cmd open a browser tab, as with any link.
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    if (selection && event.shiftKey) return selection.onToggle(true);
    if (selection?.selecting && !isWide()) return selection.onToggle(false);
    onOpen(event.detail === 0);
  };
  const ticked = selection?.checked || selection?.selecting;
  return (
    <div className="group relative">
      <a
        id={rowLinkId(request.id)}
        href={href}
        aria-current={current ? "true" : undefined}
        title={visibleText(request.message)}
        onClick={click}
        // Shift and a click select a range of rows, not text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        className={cn(
          "flex gap-3 border-l-2 pr-4 pl-3.5 focus-visible:-outline-offset-2",
          compact ? "py-1.5 max-md:py-2.5" : "py-3",
          current ? "border-accent" : "border-transparent",
          selection?.checked ? "bg-accent-soft" : current ? "bg-panel" : "hover:bg-sunken",
        )}
      >
        <Icon
          aria-hidden
          className={cn(
            "mt-0.5 size-4 shrink-0 text-muted",
            selection && "md:group-focus-within:invisible md:group-hover:invisible",
            ticked && "invisible",
          )}
          strokeWidth={1.75}
        />
        <span className={cn("flex min-w-0 flex-1 flex-col", !compact && "gap-0.5")}>
          <span className="flex font-medium">
            <span className="truncate">
              <bdi>{name}</bdi>
            </span>
            {amount && <span className="shrink-0 whitespace-pre tabular-nums">{` · ${amount}`}</span>}
          </span>
          <span className="flex items-center gap-3 text-muted text-xs leading-5">
            <span className="min-w-0 flex-1 truncate">
              <bdi>{actorWords(request.requestedBy, { begins: true })}</bdi> ·{" "}
              <bdi>{request.server.name}</bdi> / <bdi>{visibleText(request.tool)}</bdi>
            </span>
            <Age at={request.decidedAt ?? request.createdAt} className="shrink-0" />
          </span>
          <span className="flex flex-wrap gap-1.5 pt-0.5 empty:hidden">
            <RowBadges row={row} />
          </span>
        </span>
      </a>
      {selection && <RowBox request={request} {...selection} />}
    </div>
  );
}

/** A button with the role of a checkbox: a real one would disable the list's single keys while focused. */
function RowBox({ request, checked, selecting, onToggle }: RowSelection & { request: InputRequestSummary }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <button
      type="button"
      role="checkbox"
      aria-checked={checked}
      aria-label={`Select ${requestName(request)}`}
      onClick={(event) => onToggle(event.shiftKey)}
      className={cn(
        "absolute top-0 left-0 grid size-11 place-items-center rounded-md focus-visible:-outline-offset-4",
        !checked &&
          !selecting &&
          "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-md:pointer-events-none max-md:hidden",
      )}
    >
      <span
        className={cn(
          "grid size-4 place-items-center rounded border",
          checked ? "border-accent bg-accent text-accent-ink" : "border-edge bg-panel",
        )}
      >
        {checked && <Check aria-hidden className="size-3" strokeWidth={3} />}
      </span>
    </button>
  );
}

const BADGE_ICONS = {
  yes: Check,
  no: X,
  none: Ban,
  answer: Reply,
  warning: TriangleAlert,
  gone: Check,
  ended: CircleSlash,
  gate: UserRoundCheck,
  lock: Lock,
  talk: MessageSquareText,
  clock: Clock3,
};

function RowBadges({ row }: { row: StableRow }) {
  const me = useMe();
  return rowBadges(row.request, row, me).map((badge) =>
    "time" in badge ? (
      <TimeLeftBadge key="time" until={badge.time} />
    ) : (
      <Badge
        key={`${badge.words} ${badge.more}`}
        tone={badge.tone}
        icon={badge.icon && BADGE_ICONS[badge.icon]}
      >
        {badge.words}
        {badge.more && <span className="sr-only"> {badge.more}</span>}
      </Badge>
    ),
  );
}

const ICONS: [RegExp, LucideIcon][] = [
  [/delete|remove|purge|drop|destroy|wipe/i, Trash2],
  [/invoice|payment|expense|approv|contract|order/i, FileCheck2],
  [/access|grant|invite|member|permission/i, UserRound],
];

/** Returns an icon that hints at the topic, by the tool's name; nothing depends on it. */
function requestIcon(request: Pick<InputRequestSummary, "mode" | "tool">): LucideIcon {
  if (request.mode === "url") return Link2;
  return ICONS.find(([pattern]) => pattern.test(request.tool))?.[1] ?? MessageSquareText;
}

/** Placeholders of rows while they load. */
export function RowSkeletons() {
  return (
    <div aria-hidden className="border-line border-t">
      {[85, 60, 75, 50, 70].map((width) => (
        <div key={width} className="flex h-[67px] flex-col gap-2.5 border-line border-b py-3.5 pr-4 pl-11">
          <div className="skeleton h-4" style={{ width: `${width}%` }} />
          <div className="skeleton h-3 w-1/2" />
        </div>
      ))}
    </div>
  );
}
