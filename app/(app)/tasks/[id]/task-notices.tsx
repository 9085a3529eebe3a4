import { ConnectionTrouble } from "@/components/server/connection-trouble.tsx";
import { NOT_DURABLE } from "@/components/task/durability.tsx";
import { isCallKnown } from "@/components/task/restart-dialog.tsx";
import { FoldedText } from "@/components/text/folded-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { isLive, serverStateLabel } from "@/lib/format/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";
import { StartUnknown } from "./start-unknown.tsx";

/** What is out of the ordinary about a task, and what can be done. */
export function TaskNotices({ task }: { task: TaskDetail }) {
  const isStuck = isLive(task.state) && task.connection.state !== "connected";
  return (
    <>
      {isStuck && (
        <ConnectionTrouble server={task.server} owner={task.connection.owner} state={task.connection.state} />
      )}
      {task.cancelRequestedAt && (task.state === "cancelled" ? task.serverState : true) && (
        <Notice title={task.state === "cancelled" ? "Cancelled here" : "Cancel is on its way"}>
          <p>
            Asked <TimeAgo at={task.cancelRequestedAt} />
            {task.serverState && `; the server still says “${serverStateLabel(task.serverState)}”`}.
          </p>
        </Notice>
      )}
      {task.state === "lost" && task.durable && (
        <Notice tone="bad" title="The server no longer knows this task.">
          <p>
            It may have been restarted without its memory. The arguments are kept: start it again as a new
            task.
          </p>
        </Notice>
      )}
      {task.state === "lost" && !task.durable && (
        <Notice tone="bad" title="The connection that carried this call ended before its result came.">
          <p>
            Nobody can know what came of it: the tool may have run. Look at {task.server.name}, then start it
            again as a new task or leave it.
          </p>
        </Notice>
      )}
      {task.state === "start_unknown" && <StartUnknown task={task} />}
      {!task.durable && isLive(task.state) && (
        <Notice tone="wait" title="This call ends with its connection.">
          <p>{NOT_DURABLE}</p>
        </Notice>
      )}
      {!isCallKnown(task) && (
        <Notice title="Adopted; its call isn’t known.">
          <p>
            It was found on the server, started by somebody else. What was called, and with what, only the
            server knows: it can be followed and answered here, but not started again.
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
      {task.error && task.error.code !== task.state && task.state !== "lost" && !isStuck && (
        <Notice tone={isLive(task.state) ? "wait" : "bad"} title={<FoldedText text={task.error.message} />}>
          {isLive(task.state) && <p>Intray keeps trying; nothing is lost.</p>}
          <p className="text-muted">Code: {task.error.code}</p>
        </Notice>
      )}
    </>
  );
}
