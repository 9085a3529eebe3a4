"use client";

import { ChevronRight, RefreshCw } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { AttentionBadge } from "@/components/task/attention-badge.tsx";
import { CancelDialog } from "@/components/task/cancel-dialog.tsx";
import { NotDurableBadge } from "@/components/task/durability.tsx";
import { EraBadge } from "@/components/task/era-badge.tsx";
import { isCallKnown, RestartDialog } from "@/components/task/restart-dialog.tsx";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { useTaskAction } from "@/components/task/use-task-action.ts";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { AttentionCode } from "@/lib/tasks/task-attention.ts";
import { type TaskDetail, UNKNOWN_TOOL } from "@/lib/tasks/task-schema.ts";
import { isLive, STATE_LABELS } from "@/lib/tasks/words/state-labels.ts";
import { moreTime } from "@/lib/text/duration.ts";

export function TaskHeader({ task }: { task: TaskDetail }) {
  const live = isLive(task.state);
  return (
    <header className="flex flex-col gap-2">
      <nav aria-label="Breadcrumb" className="flex items-center gap-1.5 text-[13px] text-muted">
        <Link href="/tasks" className="hover:text-ink hover:underline max-md:-mx-3 max-md:-my-3 max-md:p-3">
          Tasks
        </Link>
        <ChevronRight aria-hidden className="size-3.5" strokeWidth={1.75} />
        <span className="truncate">
          <PlainText text={task.label ?? task.tool} />
        </span>
      </nav>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-3">
        <h1 className="min-w-0 font-semibold text-[21px] leading-tight tracking-tight">
          {task.tool === UNKNOWN_TOOL && task.adopted ? "Adopted task" : <PlainText text={task.tool} />}
          {task.label && (
            <>
              {" · "}
              <PlainText text={task.label} />
            </>
          )}
        </h1>
        <StateBadge task={task} withOutcome />
        {task.attention && !SAID_BY_STATE.includes(task.attention.code) && (
          <AttentionBadge attention={task.attention} />
        )}
        {!task.durable && <NotDurableBadge short={!live} />}
        <TaskActions task={task} />
      </div>
      <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-muted">
        <Item>
          <Link
            href={`/servers/${task.server.id}`}
            className="hover:text-ink hover:underline max-md:-my-3 max-md:inline-block max-md:py-3"
          >
            {task.server.name}
          </Link>
        </Item>
        <Item>
          {task.adopted ? "by" : "started by"} {actorWords(task.requestedBy)}, <TimeAgo at={task.createdAt} />
        </Item>
        {live && task.lastCheckedAt && (
          <Item>
            checked <TimeAgo at={task.lastCheckedAt} />
            {task.nextCheckAt && (
              <>
                , next in <TimeUntil at={task.nextCheckAt} over="a moment" />
              </>
            )}
          </Item>
        )}
        {live && task.expiresAt && (
          <Item>
            the server keeps this task <TimeUntil at={task.expiresAt} over="no longer" words={moreTime} />
          </Item>
        )}
        {!live && task.finishedAt && (
          <Item>
            ended <TimeAgo at={task.finishedAt} />
          </Item>
        )}
        {task.connection.owner && <Item>on {task.connection.owner.name}’s connection</Item>}
        {task.visibility === "private" && <Item>private</Item>}
        {task.restarts.length > 0 && (
          <Item>
            started again{" "}
            {task.restarts.map(({ id, state, createdAt }, index) => (
              <Fragment key={id}>
                {index > 0 && ", "}
                <Link href={`/tasks/${id}`} className="underline underline-offset-2 hover:text-ink">
                  <TimeAgo at={createdAt} /> ({STATE_LABELS[state]})
                </Link>
              </Fragment>
            ))}
          </Item>
        )}
        {task.restartOf && (
          <Item>
            <Link href={`/tasks/${task.restartOf}`} className="underline underline-offset-2 hover:text-ink">
              started again from an earlier task
            </Link>
          </Item>
        )}
        <li>
          <EraBadge era={task.era} />
        </li>
      </ul>
    </header>
  );
}

/** Attention codes that the state's badge shows already. */
const SAID_BY_STATE: AttentionCode[] = ["start_unknown", "stalled", "lost"];

function Item({ children }: { children: ReactNode }) {
  return <li>{children}</li>;
}

/** An operator's actions on a task. Irreversible ones ask for confirmation. */
function TaskActions({ task }: { task: TaskDetail }) {
  const me = useMe();
  const [asking, setAsking] = useState<"cancel" | "restart" | null>(null);
  const act = useTaskAction(task.id, () => setAsking(null));
  if (!me.may("tasks:manage")) return null;
  // Without the task's id on the server, no call can address the task.
  const reachable = isLive(task.state) && task.state !== "start_unknown";
  return (
    <div className="flex flex-wrap gap-2 max-md:w-full md:ml-auto">
      {reachable && (
        <Button disabled={act.isPending} onClick={() => act.mutate("refresh")}>
          <RefreshCw aria-hidden strokeWidth={1.75} />
          Check now
        </Button>
      )}
      {isCallKnown(task) && <Button onClick={() => setAsking("restart")}>Start again…</Button>}
      {reachable && !task.cancelRequestedAt && (
        <Button variant="danger" onClick={() => setAsking("cancel")}>
          Cancel…
        </Button>
      )}
      <RestartDialog task={task} open={asking === "restart"} onClose={() => setAsking(null)} />
      <CancelDialog
        task={task}
        open={asking === "cancel"}
        pending={act.isPending}
        onClose={() => setAsking(null)}
        onConfirm={() => act.mutate("cancel")}
      />
    </div>
  );
}
