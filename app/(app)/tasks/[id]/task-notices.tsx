import { ConnectionTrouble, PausedNotice } from "@/components/server/server-notices.tsx";
import { SEVERITY_TONES } from "@/components/task/attention-badge.tsx";
import { NOT_DURABLE } from "@/components/task/durability.tsx";
import { isCallKnown } from "@/components/task/restart-dialog.tsx";
import { StuckActions, TaskHolder } from "@/components/task/stuck-actions.tsx";
import { FoldedText } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Age, TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { failureWords } from "@/lib/requests/statistics/overview-words.ts";
import { ATTENTION, type AttentionCode, isStuck } from "@/lib/tasks/task-attention.ts";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import { isLive, serverStateLabel } from "@/lib/tasks/words/state-labels.ts";
import { StartUnknown } from "./start-unknown.tsx";

/** Why the task is stuck, with a link to the remedy. */
function AttentionNotice({ task }: { task: TaskDetail }) {
  const { attention } = task;
  if (!attention) return null;
  const { severity, label, words } = ATTENTION[attention.code];
  const way = wayOut(task, attention.code);
  return (
    <Notice
      tone={SEVERITY_TONES[severity]}
      title={
        <>
          {label}, no change for <Age at={attention.since} />
        </>
      }
      action={
        way && (
          <Button asChild size="sm">
            <Link href={way.href}>{way.name}</Link>
          </Button>
        )
      }
    >
      <p>{words}</p>
      {task.unattributedQuestions.map(
        ({ id, message }) =>
          message !== null && (
            <p key={id} className="text-muted">
              <FoldedText text={message} />
            </p>
          ),
      )}
      {task.error && isLive(task.state) && (
        <p className="text-muted">
          {failureWords(task.error.code)}: <FoldedText text={task.error.message} />
        </p>
      )}
    </Notice>
  );
}

const AT_SERVER: AttentionCode[] = [
  "needs_sign_in",
  "server_unreachable",
  "server_failing",
  "state_unknown",
  "stalled",
  "start_slow",
];
/** The state of the request that needs attention. */
const AT_REQUEST: Partial<Record<AttentionCode, string>> = {
  undeliverable: "undeliverable",
  delivery_flagged: "answered",
  answer_waiting: "answered",
  expiring: "open",
  waiting_long: "open",
};

function wayOut(task: TaskDetail, code: AttentionCode): { href: string; name: string } | null {
  if (AT_SERVER.includes(code)) {
    return { href: `/servers/${task.server.id}`, name: `Look at ${task.server.name}` };
  }
  const request = task.inputRequests.find(({ state }) => state === AT_REQUEST[code]);
  return request ? { href: `/inbox/${request.id}`, name: "Open the request" } : null;
}

/** Exceptional conditions of a task, and their remedies. */
export function TaskNotices({ task }: { task: TaskDetail }) {
  const isGated = task.state === "queued" && task.gate?.state === "waiting" && !task.cancelRequestedAt;
  const gateRequest = task.inputRequests.find(({ state }) => state === "open" || state === "answered");
  const needsSignIn = !isGated && isLive(task.state) && task.connection.state !== "connected";
  const attends = task.attention !== null && !TOLD_APART.includes(task.attention.code) && !needsSignIn;
  return (
    <>
      {isStuck(task) && <Owner task={task} />}
      {attends && <AttentionNotice task={task} />}
      {isLive(task.state) && (
        <PausedNotice server={task.server}>
          <p>
            The task continues when the pause ends. Answers and a cancel are kept.
            {task.expiresAt && " The task’s time limit still applies."}
          </p>
        </PausedNotice>
      )}
      {needsSignIn && (
        <ConnectionTrouble server={task.server} owner={task.connection.owner} state={task.connection.state} />
      )}
      {isGated && (
        <Notice
          tone="wait"
          title="Nothing was called yet: a person has to approve this call first."
          action={
            gateRequest && (
              <Button asChild>
                <Link href={`/inbox/${gateRequest.id}`}>Open the request</Link>
              </Button>
            )
          }
        >
          <p>
            {task.gate?.rule && (
              <>
                Required by the rule “<PlainText text={task.gate.rule.name} />
                ”.{" "}
              </>
            )}
            {task.gate?.expiresAt && (
              <>
                If nobody approves the call within <TimeUntil at={task.gate.expiresAt} over="a moment" />, it
                is not made.
              </>
            )}
          </p>
        </Notice>
      )}
      {task.cancelRequestedAt && (task.state === "cancelled" ? task.serverState : true) && (
        <Notice title={task.state === "cancelled" ? "Cancelled here" : "The cancel is being sent"}>
          <p>
            Asked <TimeAgo at={task.cancelRequestedAt} />
            {task.serverState && `; the server still says “${serverStateLabel(task.serverState)}”`}.
          </p>
        </Notice>
      )}
      {task.state === "lost" && task.durable && (
        <Notice tone="bad" title="The server no longer knows this task.">
          <p>
            The server may have lost the task in a restart. The arguments are kept: start the task again as a
            new task.
          </p>
        </Notice>
      )}
      {task.state === "lost" && !task.durable && (
        <Notice tone="bad" title="The connection that carried this call ended before its result came.">
          <p>
            The tool may have run, and its result is lost. Check on {task.server.name} what happened. Then
            start the call again as a new task, or do nothing.
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
        <Notice title="Adopted from the server; its call isn’t known.">
          <p>
            Another client started this task on the server. Only the server knows its tool and arguments. You
            can follow and answer the task here, but not start it again.
          </p>
        </Notice>
      )}
      {task.state === "expired" && (
        <Notice tone="bad" title="The server’s time for this task ran out.">
          <p>The task will not continue. The arguments are kept: start it again as a new task.</p>
        </Notice>
      )}
      {/* Lost and expired tasks have notices above. */}
      {task.error && task.error.code !== task.state && task.state !== "lost" && !needsSignIn && !attends && (
        <Notice tone={isLive(task.state) ? "wait" : "bad"} title={<FoldedText text={task.error.message} />}>
          {isLive(task.state) && task.durable && <p>Intray keeps trying; nothing is lost.</p>}
          <p className="text-muted">{failureWords(task.error.code)}</p>
        </Notice>
      )}
    </>
  );
}

/** The owner of a stuck task, and the buttons for it. */
function Owner({ task }: { task: TaskDetail }) {
  return (
    <div className="-my-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 max-md:gap-y-2">
      {task.acknowledgement ? (
        <TaskHolder task={task} />
      ) : (
        <span className="text-[13px] text-muted">No owner yet</span>
      )}
      <StuckActions task={task} menu={false} />
    </div>
  );
}

/** Attention codes with more detailed notices of their own. */
const TOLD_APART: AttentionCode[] = ["server_paused", "start_unknown", "lost"];
