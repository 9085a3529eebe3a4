"use client";

import { useQuery } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useState } from "react";
import { Facts } from "@/components/facts/facts.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { AttemptGroup } from "@/components/task/attempt-group.tsx";
import { RaceGroup } from "@/components/task/race-group.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { ApiError } from "@/lib/api-client/base/client.ts";
import { useKeptError } from "@/lib/api-client/base/kept-error.ts";
import { taskDetail } from "@/lib/api-client/tasks/tasks.ts";
import { STATE_LABELS } from "@/lib/format/tasks/outcome.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";
import { ProtocolLog } from "./protocol/protocol-log.tsx";
import { TaskResult } from "./result/task-result.tsx";
import { TaskAccess } from "./task-access.tsx";
import { TaskHeader } from "./task-header.tsx";
import { TaskHistory } from "./task-history.tsx";
import { TaskNotices } from "./task-notices.tsx";
import { TaskProgress } from "./task-progress.tsx";
import { TaskRequests } from "./task-requests.tsx";

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
  const [tab, setTab] = useState("timeline");
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
  return (
    <>
      <TaskHeader task={task} />
      <TaskProgress task={task} />
      <TaskNotices task={task} />
      {task.raceId && <RaceGroup raceId={task.raceId} taskId={task.id} />}
      {task.attempts > 1 && <AttemptGroup task={task} />}
      <Tabs value={tab} onChange={setTab} tabs={tabs}>
        <TabPanel value="timeline">
          <TaskHistory task={task} />
        </TabPanel>
        <TabPanel value="arguments">
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
      The link may be old, or it belongs to an organization that you are not in.
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
