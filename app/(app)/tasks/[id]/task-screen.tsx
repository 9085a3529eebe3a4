"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { Facts } from "@/components/facts/facts.tsx";
import { changedQuery } from "@/components/list/use-list-place.ts";
import { ReadList } from "@/components/people/read-list.tsx";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { ProgressBar, progressWords } from "@/components/task/progress.tsx";
import { AttemptGroup, RaceGroup } from "@/components/task/task-group.tsx";
import { FoldedText } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure, Unread } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import { isLive, STATE_LABELS, statusSentence } from "@/lib/tasks/words/state-labels.ts";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { useKeptError } from "@/lib/web/client/base/query-client.ts";
import { taskReads } from "@/lib/web/client/tasks/task-history.ts";
import { taskDetail } from "@/lib/web/client/tasks/tasks.ts";
import { ProtocolLog } from "./protocol/protocol-log.tsx";
import { TaskResult } from "./result/task-result.tsx";
import { TaskHeader } from "./task-header.tsx";
import { TaskHistory } from "./task-history.tsx";
import { TaskNotices } from "./task-notices.tsx";
import { TaskPhases } from "./task-phases.tsx";
import { TaskRequests } from "./task-requests.tsx";
import { TaskSummary } from "./task-summary.tsx";

/** Few calls were changed. */
const CallChanged = lazyComponent(() => import("./call-changed.tsx").then((file) => file.CallChanged));

export function TaskScreen({ id }: { id: string }) {
  const task = useQuery(taskDetail(id));
  const failure = useKeptError(task);
  useTitle(task.data ? `${task.data.label ?? task.data.tool}: ${STATE_LABELS[task.data.state]}` : "Task");
  return (
    <div className="scroll-quiet flex-1">
      <div className="flex max-w-[1120px] flex-col gap-5 px-4 py-4 md:px-6">
        {task.data ? (
          <Loaded key={id} task={task.data} />
        ) : failure ? (
          <NotLoaded error={failure} onRetry={() => void task.refetch()} />
        ) : (
          <TaskSkeleton />
        )}
      </div>
    </div>
  );
}

function Loaded({ task }: { task: TaskDetail }) {
  const me = useMe();
  const asked = useSearchParams().get("tab");
  const { kind, id: requesterId } = task.requestedBy;
  const isOwn = kind === "member" && requesterId === me.user.id && me.view === null;
  const tabs = [
    { value: "timeline", label: "Timeline" },
    { value: "arguments", label: "Arguments" },
    { value: "requests", label: "Requests", count: task.inputRequests.length },
    { value: "result", label: "Result" },
    ...(me.may("protocol:read") ? [{ value: "protocol", label: "Protocol" }] : []),
    ...(me.may("events:read") || isOwn ? [{ value: "access", label: "Access" }] : []),
  ];
  const tab = tabs.find(({ value }) => value === asked)?.value ?? "timeline";
  return (
    <>
      <TaskHeader task={task} />
      <TaskProgress task={task} />
      <TaskNotices task={task} />
      {task.raceId && <RaceGroup raceId={task.raceId} taskId={task.id} />}
      {task.attempts > 1 && <AttemptGroup task={task} />}
      <Tabs value={tab} onChange={showTab} tabs={tabs}>
        <TabPanel value="timeline">
          <TaskHistory task={task} />
        </TabPanel>
        <TabPanel value="arguments">
          {task.askedArguments && <CallChanged asked={task.askedArguments} called={task.arguments} />}
          <Facts values={task.arguments} />
        </TabPanel>
        <TabPanel value="requests">
          <TaskRequests id={task.id} />
        </TabPanel>
        <TabPanel value="result">
          <TaskResult task={task} />
        </TabPanel>
        <TabPanel value="protocol">
          <ProtocolLog task={task} />
        </TabPanel>
        <TabPanel value="access">
          <TaskAccess task={task} />
        </TabPanel>
      </Tabs>
    </>
  );
}

/** Arrow keys go through the tabs, so that each would be a step of Back. */
function showTab(tab: string) {
  const query = changedQuery(new URLSearchParams(window.location.search), {
    tab: tab === "timeline" ? null : tab,
  });
  window.history.replaceState(null, "", `${window.location.pathname}${query}`);
}

function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError && error.status === 404)) {
    return <LoadFailure what="The task" error={error} onRetry={onRetry} />;
  }
  return (
    <Empty
      heading="h1"
      icon={Unplug}
      title="Task not found"
      action={
        <Button asChild>
          <Link href="/tasks">Show all tasks</Link>
        </Button>
      }
    >
      The link may be old, or it belongs to another organization.
    </Empty>
  );
}

function TaskSkeleton() {
  return (
    <div aria-hidden className="flex flex-col gap-4">
      <div className="skeleton h-4 w-32" />
      <div className="skeleton h-7 w-80 max-w-full" />
      <div className="skeleton h-4 w-96 max-w-full" />
      <div className="skeleton h-20" />
      <div className="skeleton h-40" />
    </div>
  );
}

/** Who looked at the task, for who asked for it and for admins. */
function TaskAccess({ task }: { task: TaskDetail }) {
  const reads = useInfiniteQuery(taskReads(task.id));
  if (!reads.data)
    return (
      <Unread what="Who looked" query={reads}>
        <TimelineSkeleton />
      </Unread>
    );
  const items = reads.data.pages.flatMap((page) => page.items);
  return (
    <div className="flex flex-col gap-3">
      {items.length === 0 ? (
        <p className="text-muted">Nobody has opened anything that is recorded here.</p>
      ) : (
        <div className="rounded-lg border border-line bg-panel p-4">
          <ReadList reads={items} whose={actorWords(task.requestedBy)} label="Access log, newest first" />
        </div>
      )}
      <LoadMore query={reads} />
      <p className="text-muted text-xs">
        This log records who read protocol messages, documents and exports, and who saw lists as{" "}
        {actorWords(task.requestedBy)}. The same within ten minutes is recorded once. Opening the task, its
        requests or a list is not recorded.
      </p>
    </div>
  );
}

/** What the task is about, its status in one sentence, its progress, and its phases. */
function TaskProgress({ task }: { task: TaskDetail }) {
  const { progress } = task;
  const formats = useFormats();
  const sentence = statusSentence(task);
  const waiting = task.inputRequests.find((request) => request.state === "open");
  return (
    <section
      aria-label="Status"
      className="flex flex-col gap-2.5 rounded-lg border border-line bg-panel px-4 py-3"
    >
      <TaskSummary task={task} />
      <div aria-live="polite" className="flex flex-col gap-2.5 empty:hidden">
        {(sentence || progress) && (
          <p className="flex items-baseline gap-4">
            <span className="min-w-0 flex-1 font-medium break-words text-[13px]">
              <FoldedText text={sentence ?? "Working"} />
            </span>
            {progress && <span className="text-[13px] text-muted">{progressWords(progress, formats)}</span>}
          </p>
        )}
        {progress && isLive(task.state) && <ProgressBar progress={progress} label="Progress" />}
        {waiting && isLive(task.state) && (
          <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-wait-soft px-4 py-2.5">
            <p className="min-w-0 flex-1 basis-60 text-[13px] text-wait">
              <span className="line-clamp-3">
                <PlainText text={waiting.message} />
              </span>
            </p>
            <Button asChild size="sm" className="border-transparent">
              <Link href={`/inbox/${waiting.id}`}>Open the request</Link>
            </Button>
          </div>
        )}
      </div>
      <TaskPhases id={task.id} />
    </section>
  );
}
