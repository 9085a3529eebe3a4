import {
  ArrowDown,
  ArrowUp,
  Ban,
  Check,
  type LucideIcon,
  Pencil,
  Trash2,
  TriangleAlert,
  UserRoundCheck,
} from "lucide-react";
import type { ComponentProps } from "react";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Before } from "@/lib/agents/agent-schema.ts";
import type { CallRule } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { BEFORE_LABELS } from "@/lib/policy/call-rules/call-rule-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { quoted } from "@/lib/text/foreign/quoted.ts";
import type { Tone } from "@/lib/text/labels.ts";
import { ConditionText } from "../conditions/condition-text.tsx";

const SHOWN: Record<Before, { icon: LucideIcon; tone: Tone }> = {
  allow: { icon: Check, tone: "good" },
  ask: { icon: UserRoundCheck, tone: "wait" },
  deny: { icon: Ban, tone: "bad" },
};

/** What a rule or its verdict means for a call. */
export function BeforeBadge({ before }: { before: Before }) {
  return (
    <Badge icon={SHOWN[before].icon} tone={SHOWN[before].tone}>
      {BEFORE_LABELS[before]}
    </Badge>
  );
}

/** One rule of the list, with what it is about and the buttons to change it. */
export function RuleRow({
  rule,
  servers,
  warnings,
  place,
  isLast,
  onMove,
  onEdit,
  onRemove,
}: {
  rule: CallRule;
  servers: Server[];
  /** What it names that is not there. */
  warnings: string[];
  place: number;
  isLast: boolean;
  onMove: (by: -1 | 1) => void;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { name, when, tools, before } = rule;
  const nameOf = (id: string) => {
    const name = servers.find((server) => server.id === id)?.name;
    return name === undefined ? "a removed server" : quoted(name);
  };
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 py-3 first:pt-0 last:pb-0">
      <span aria-hidden className="w-5 pt-0.5 text-right text-[13px] text-muted tabular-nums">
        {place + 1}
      </span>
      <div className="flex min-w-48 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <span className="break-words font-medium">{name}</span>
          <BeforeBadge before={before} />
        </div>
        <p className="break-words text-[13px] text-muted">
          {tools.length === 0 ? "All tools" : tools.map(quoted).join(", ")}{" "}
          {rule.servers.length === 0 ? "of all servers" : `of ${rule.servers.map(nameOf).join(", ")}`}
        </p>
        {when !== null && <ConditionText rules="call" condition={when} />}
        {warnings.map((words) => (
          <p key={words} className="flex items-start gap-1.5 text-[13px] text-wait">
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" strokeWidth={1.75} />
            {words}
          </p>
        ))}
      </div>
      <div className="flex gap-1">
        <Tool part="up" label={`Move “${name}” up`} disabled={place === 0} onClick={() => onMove(-1)}>
          <ArrowUp aria-hidden strokeWidth={1.75} />
        </Tool>
        <Tool part="down" label={`Move “${name}” down`} disabled={isLast} onClick={() => onMove(1)}>
          <ArrowDown aria-hidden strokeWidth={1.75} />
        </Tool>
        <Tool part="edit" label={`Edit “${name}”`} onClick={onEdit}>
          <Pencil aria-hidden strokeWidth={1.75} />
        </Tool>
        <Tool part="remove" label={`Remove “${name}”`} onClick={onRemove}>
          <Trash2 aria-hidden strokeWidth={1.75} />
        </Tool>
      </div>
    </li>
  );
}

function Tool({ part, label, ...props }: { part: string; label: string } & ComponentProps<typeof Button>) {
  return <Button variant="ghost" size="icon" data-part={part} aria-label={label} title={label} {...props} />;
}
