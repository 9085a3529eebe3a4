"use client";

import { Ellipsis, UserRoundCheck } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import type { StuckDialogProps } from "@/components/task/stuck-dialog.tsx";
import { useTaskAction } from "@/components/task/use-task-action.ts";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { type TaskSummary, UNKNOWN_TOOL } from "@/lib/tasks/task-schema.ts";

const StuckDialog = lazyComponent(() => import("./stuck-dialog.tsx").then((file) => file.StuckDialog), {
  loading: DialogLoading,
  warm: true,
});

/** The owner of a stuck task: `Owner: Ola · since 10:20 · Asking the bank`. Nothing where there is none. */
export function TaskHolder({ task, className }: { task: TaskSummary; className?: string }) {
  const me = useMe();
  const { acknowledgement } = task;
  if (!acknowledgement) return null;
  const { by, at, note } = acknowledgement;
  return (
    <span className={cn("flex min-w-0 items-center gap-1.5 text-[13px] text-accent", className)}>
      <UserRoundCheck aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
      <span className="min-w-0 truncate" title={note ?? undefined}>
        Owner: {by.id === me.user.id ? "you" : by.name} · since <Clock at={at} />
        {note && (
          <>
            {" · "}
            <PlainText text={note} />
          </>
        )}
      </span>
    </span>
  );
}

/** An operator's actions on a stuck task, where it is listed. `menu`: with those that the task's page has too. */
export function StuckActions({ task, menu = true }: { task: TaskSummary; menu?: boolean }) {
  const me = useMe();
  const [asking, setAsking] = useState<StuckDialogProps["asking"] | null>(null);
  const act = useTaskAction(task.id, () => setAsking(null));
  if (!me.may("tasks:manage")) return null;
  const name = task.label ?? task.tool;
  const holder = task.acknowledgement?.by;
  const mine = holder?.id === me.user.id;
  // Without the task's id on the server, no call can address the task.
  const reachable = task.state !== "start_unknown";
  return (
    <span className="flex items-center gap-1.5">
      {mine ? (
        <Button
          size="sm"
          disabled={act.isPending}
          aria-label={`Release ${name}`}
          onClick={() => act.mutate("release")}
        >
          Release
        </Button>
      ) : (
        <Button
          size="sm"
          aria-label={`${holder ? "Take over" : "Take ownership"}: ${name}`}
          onClick={() => setAsking("acknowledge")}
        >
          {holder ? "Take over…" : "Take ownership…"}
        </Button>
      )}
      {menu && (
        <Menu
          trigger={
            <Button size="icon" variant="ghost" aria-label={`More for ${name}`}>
              <Ellipsis aria-hidden strokeWidth={1.75} />
            </Button>
          }
        >
          {mine && <MenuItem onSelect={() => setAsking("acknowledge")}>Change the note…</MenuItem>}
          {reachable && <MenuItem onSelect={() => act.mutate("refresh")}>Check now</MenuItem>}
          {!(task.adopted && task.tool === UNKNOWN_TOOL) && (
            <MenuItem onSelect={() => setAsking("restart")}>Start again…</MenuItem>
          )}
          {reachable && !task.cancelRequestedAt && (
            <MenuItem onSelect={() => setAsking("cancel")}>Cancel…</MenuItem>
          )}
          <MenuSeparator />
          <MenuItem asChild>
            <Link href={`/tasks/${task.id}`}>Open task</Link>
          </MenuItem>
        </Menu>
      )}
      {asking && (
        <StuckDialog
          asking={asking}
          task={task}
          mine={mine}
          pending={act.isPending}
          onClose={() => setAsking(null)}
          onAct={act.mutate}
        />
      )}
    </span>
  );
}
