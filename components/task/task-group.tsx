"use client";

import { useQuery } from "@tanstack/react-query";
import { Trophy } from "lucide-react";
import type { ReactNode } from "react";
import { StateBadge } from "@/components/task/state-badge.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import type { Race } from "@/lib/lifecycle/races/race-schema.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { attempts, race } from "@/lib/web/client/tasks/tasks.ts";

/** Related tasks, including the task on this page. */
function TaskGroup({
  title,
  note,
  tasks,
  shown,
  nameOf,
  aside,
}: {
  title: string;
  /** The common result of the tasks. */
  note: ReactNode;
  tasks: TaskSummary[];
  /** The id of the task on this page. */
  shown: string;
  nameOf: (task: TaskSummary) => string;
  aside: (task: TaskSummary) => ReactNode;
}) {
  return (
    <section aria-label={title} className="overflow-hidden rounded-lg border border-line bg-panel">
      <div className="flex flex-wrap items-baseline gap-x-3 border-line border-b px-4 py-2.5">
        <h2 className="font-medium">{title}</h2>
        <p className="text-[13px] text-muted">{note}</p>
      </div>
      <ul className="divide-y divide-line">
        {tasks.map((task) => (
          <li key={task.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 max-md:min-h-11">
            {task.id === shown ? (
              <span aria-current="page" className="min-w-0 flex-1 truncate font-medium">
                {nameOf(task)} <span className="font-normal text-muted">· this task</span>
              </span>
            ) : (
              <Link
                href={`/tasks/${task.id}`}
                className="min-w-0 flex-1 truncate underline-offset-2 hover:underline max-md:-my-2 max-md:py-2.5"
              >
                {nameOf(task)}
              </Link>
            )}
            {aside(task)}
            <StateBadge task={task} withOutcome />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The attempts at one call; each is a task of its own. */
export function AttemptGroup({ task }: { task: Pick<TaskSummary, "id" | "attempts"> }) {
  const { data } = useQuery(attempts(task.id));
  const last = data?.items.at(-1);
  if (!data || !last) return null;
  return (
    <TaskGroup
      title="Attempts"
      note={noteOf(last)}
      tasks={data.items}
      shown={task.id}
      nameOf={({ attempt, attempts }) => `Attempt ${attempt} of ${attempts}`}
      aside={({ createdAt, nextAttemptAt }) => (
        <span className="text-[13px] text-muted">
          {nextAttemptAt ? (
            <>
              begins in <TimeUntil at={nextAttemptAt} over="a moment" />
            </>
          ) : (
            <TimeAgo at={createdAt} />
          )}
        </span>
      )}
    />
  );
}

function noteOf({ state, attempt, attempts, nextAttemptAt }: TaskSummary): string {
  if (nextAttemptAt) return "It failed and is tried again. Cancel the attempt that waits to stop that.";
  if (state === "failed" && attempt === attempts) return "No attempt is left.";
  return attempt < attempts ? "A failure is tried again by itself." : "This is the last attempt.";
}

/** The tasks of a race, which makes the same call on several servers, and the winner. */
export function RaceGroup({ raceId, taskId }: { raceId: string; taskId: string }) {
  const { data } = useQuery(race(raceId));
  if (!data) return null;
  return (
    <TaskGroup
      title="Race"
      note={NOTES[data.state]}
      tasks={data.tasks}
      shown={taskId}
      nameOf={({ server }) => server.name}
      aside={({ id }) =>
        id === data.winnerTaskId && (
          <Badge tone="good" icon={Trophy}>
            Winner
          </Badge>
        )
      }
    />
  );
}

const NOTES: Record<Race["state"], string> = {
  running: "The first success wins; the others are cancelled then.",
  won: "It is decided. What the others did before they were cancelled is not undone.",
  failed: "All have ended, none with success.",
};
