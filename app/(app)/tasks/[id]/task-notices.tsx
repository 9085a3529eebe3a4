import { TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { isLive, serverStateLabel } from "@/lib/format/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** What is out of the ordinary about a task, and what can be done. */
export function TaskNotices({ task }: { task: TaskDetail }) {
  return (
    <>
      {task.cancelRequestedAt && (task.state === "cancelled" ? task.serverState : true) && (
        <Notice title={task.state === "cancelled" ? "Cancelled here" : "Cancel is on its way"}>
          <p>
            Asked <TimeAgo at={task.cancelRequestedAt} />
            {task.serverState && `; the server still says “${serverStateLabel(task.serverState)}”`}.
          </p>
        </Notice>
      )}
      {task.state === "lost" && (
        <Notice tone="bad" title="The server no longer knows this task.">
          <p>
            It may have been restarted without its memory. The arguments are kept: start it again as a new
            task.
          </p>
        </Notice>
      )}
      {task.state === "start_unknown" && (
        <Notice tone="wait" title="It is not known whether the server began.">
          <p>
            The connection broke at the very moment of starting. Intray never calls a tool twice by itself:
            look at the server, then start again or leave it.
          </p>
        </Notice>
      )}
      {task.state === "expired" && (
        <Notice tone="bad" title="The server’s time for this task ran out.">
          <p>Nothing more will come of it. The arguments are kept: start it again as a new task.</p>
        </Notice>
      )}
      {task.stalled && task.state === "working" && (
        <Notice tone="wait" title="Nothing has changed for a long while.">
          <p>Intray keeps checking. If it should have moved by now, look at the server.</p>
        </Notice>
      )}
      {/* Lost and expired have been said above. */}
      {task.error && task.error.code !== task.state && (
        <Notice tone={isLive(task.state) ? "wait" : "bad"} title={task.error.message}>
          {isLive(task.state) && <p>Intray keeps trying; nothing is lost.</p>}
          <p className="text-muted">Code: {task.error.code}</p>
        </Notice>
      )}
    </>
  );
}
