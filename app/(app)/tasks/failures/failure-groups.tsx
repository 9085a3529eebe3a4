"use client";

import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Card } from "@/components/chart/chart-card.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { failureWords, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import type { FailureGroup } from "@/lib/tasks/task-schema.ts";
import { STATE_LABELS } from "@/lib/tasks/words/state-labels.ts";
import { failureGroups, type TaskQuery } from "@/lib/web/client/tasks/tasks.ts";

const BulkDialog = lazyComponent(() => import("../bulk/bulk-dialog.tsx").then((file) => file.BulkDialog));

/** Shown before the person asks for the rest. */
const FEW = 4;

/**
 * Failures by cause. Each leads to its tasks, and those that may be made again together have a button for it.
 * `filter`: the filter of the list that was grouped, without the state.
 */
export function FailureGroups({
  groups,
  filter,
}: {
  groups: FailureGroup[];
  filter: Record<string, string>;
}) {
  const me = useMe();
  const [all, setAll] = useState(false);
  const [retried, setRetried] = useState<FailureGroup | null>(null);
  const mayRetry = me.may("tasks:manage") && me.may("tasks:start");
  const shown = all ? groups : groups.slice(0, FEW);
  return (
    <>
      <ul aria-label="Causes" className="-mx-2 flex flex-col">
        {shown.map((group) => (
          <Group
            key={`${group.server.id} ${group.tool} ${group.state} ${group.cause}`}
            group={group}
            href={tasksHref(filterOf(group, filter))}
            onStartAgain={mayRetry ? () => setRetried(group) : null}
          />
        ))}
      </ul>
      {groups.length > shown.length && (
        <Button size="sm" variant="link" className="self-start px-0" onClick={() => setAll(true)}>
          Show all {groups.length} causes
        </Button>
      )}
      {retried && (
        <BulkDialog
          action="restart"
          chosen={{ filter: filterOf(retried, filter) }}
          count={retried.count}
          leftOut="their outcome is unknown, or they have been started again."
          onClose={() => setRetried(null)}
        />
      )}
    </>
  );
}

function filterOf(group: FailureGroup, filter: Record<string, string>): Record<string, string> {
  return { ...filter, state: group.state, serverId: group.server.id, tool: group.tool, cause: group.cause };
}

function Group({
  group: { server, tool, state, code, lastMessage, count, repeatable, lastAt },
  href,
  onStartAgain,
}: {
  group: FailureGroup;
  href: string;
  onStartAgain: (() => void) | null;
}) {
  const { number } = useFormats();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-t px-2 py-2 first:border-t-0">
      <span className="w-9 shrink-0 font-semibold tabular-nums">{number(count)}</span>
      <Link href={href} className="group min-w-0 flex-1 basis-48 rounded-sm max-md:min-h-11">
        <span className="line-clamp-2 font-medium group-hover:underline">
          <PlainText text={lastMessage || STATE_LABELS[state]} />
        </span>
        <span className="block truncate text-muted text-xs">
          {server.name} · {tool} · {failureWords(code)} · last <TimeAgo at={lastAt} />
        </span>
      </Link>
      {repeatable === 0 && (
        <span className="text-muted text-xs max-md:ml-13">
          {state !== "failed" || code === "result_missing"
            ? "Outcome unknown. Review each task"
            : "Started again"}
        </span>
      )}
      {onStartAgain && repeatable > 0 && (
        <Button size="sm" className="max-md:ml-13" onClick={onStartAgain}>
          <RotateCcw aria-hidden strokeWidth={1.75} />
          {repeatable === 1 ? "Start this one again" : `Start these ${number(repeatable)} again`}
        </Button>
      )}
    </li>
  );
}

/** The failures of the list by cause, above it. Renders nothing if they cannot be read; the list still has each. */
export function FailurePanel({ query }: { query: TaskQuery }) {
  const { number } = useFormats();
  const groups = useQuery(failureGroups(query));
  if (!groups.data || groups.data.items.length === 0) return null;
  const { state: _, order: __, ...filter } = query;
  const { counted, items } = groups.data;
  return (
    <Card
      title="By cause"
      note={`${counted >= MOST_COUNTED ? `The last ${number(counted)} failures` : `${number(counted)} failures`}. Grouped by tool and error, ignoring numbers. The latest is shown`}
      className="gap-1.5"
    >
      <FailureGroups groups={items} filter={filter} />
    </Card>
  );
}

/** The API reads as many failures. */
const MOST_COUNTED = 5_000;
