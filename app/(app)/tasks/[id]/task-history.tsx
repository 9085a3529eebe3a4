"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowDownWideNarrow, ArrowUpNarrowWide } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock } from "@/components/time/time.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { Dot, Line, TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { TaskEvent } from "@/lib/history/events/event-schema.ts";
import type { TaskDetail, TaskEventQuery } from "@/lib/tasks/task-schema.ts";
import { stepWords } from "@/lib/tasks/words/task-steps.ts";
import { waitingWords } from "@/lib/tasks/words/waiting.ts";
import { taskHistory } from "@/lib/web/client/tasks/task-history.ts";
import { describeEvent } from "@/lib/web/words/activity-words.ts";

/** The task's events with the duration of each step, loaded page by page. */
export function TaskHistory({ task }: { task: TaskDetail }) {
  const [order, setOrder] = useState<TaskEventQuery["order"]>("newest");
  const history = useInfiniteQuery(taskHistory(task.id, order));
  const events = useMemo(() => history.data?.pages.flatMap(({ items }) => items) ?? [], [history.data]);
  const words = useMemo(
    () =>
      stepWords(
        [...events].sort((a, b) => a.seq - b.seq),
        task.createdAt,
      ),
    [events, task.createdAt],
  );
  if (history.data) {
    return (
      <div className="flex flex-col gap-2">
        {events.length > 1 && <OrderSwitch order={order} onChange={setOrder} />}
        <ol aria-label="Timeline" className="flex flex-col">
          {order === "newest" && <Now task={task} />}
          {events.map((event) => (
            <Step key={event.seq} event={event} took={words.get(event.seq)} />
          ))}
          {events.length === 0 && <Begun task={task} />}
          {order === "oldest" && !history.hasNextPage && <Now task={task} />}
        </ol>
        <LoadMore query={history} />
      </div>
    );
  }
  if (history.isError) {
    return <LoadFailure what="The timeline" error={history.error} onRetry={() => void history.refetch()} />;
  }
  return <TimelineSkeleton />;
}

/** What a live task waits for, so that a timeline says why nothing happens. */
function Now({ task }: { task: TaskDetail }) {
  const now = useNow(10_000);
  const words = waitingWords(task, now);
  if (!words) return null;
  return (
    <li className="group relative flex gap-3 pb-2.5">
      <Line />
      <Dot tone={words.tone} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <PlainText text={words.text} />
        </p>
        {words.quote && <Quote text={words.quote} inputRequestId={null} />}
      </div>
      <span className="shrink-0 text-muted text-xs leading-5">now</span>
    </li>
  );
}

/** The beginning of a task whose history is not there. */
function Begun({ task }: { task: TaskDetail }) {
  return (
    <li className="group relative flex gap-3 pb-2.5">
      <Line />
      <Dot tone="neutral" />
      <p className="min-w-0 flex-1">
        {actorWords(task.requestedBy, { begins: true })}{" "}
        {task.adopted ? "took it over from the server" : "started it"}
      </p>
      <Clock at={task.createdAt} className="shrink-0 text-muted text-xs leading-5" />
    </li>
  );
}

/** Memoized, because a history may have thousands of steps. */
const Step = memo(function Step({ event, took }: { event: TaskEvent; took: string | undefined }) {
  const words = describeEvent(event);
  return (
    <li className="group relative flex gap-3 pb-2.5">
      <Line />
      <Dot tone={words.tone} />
      <div className="min-w-0 flex-1">
        <p>
          <PlainText text={words.text} />
          {took && <span className="text-muted text-xs"> {took}</span>}
        </p>
        {words.quote && <Quote text={words.quote} inputRequestId={event.inputRequestId} />}
      </div>
      <Clock at={event.at} className="shrink-0 text-muted text-xs leading-5" />
    </li>
  );
});

/** The quoted text of an event; for a question or an answer a link to the request. */
function Quote({ text, inputRequestId }: { text: string; inputRequestId: string | null }) {
  const quote = (
    <>
      “<PlainText text={text} />”
    </>
  );
  return (
    <p className="whitespace-pre-line text-[13px] text-muted">
      {inputRequestId ? (
        <Link href={`/inbox/${inputRequestId}`} className="underline-offset-4 hover:text-ink hover:underline">
          {quote}
        </Link>
      ) : (
        quote
      )}
    </p>
  );
}

type Order = TaskEventQuery["order"];

/** Switches a list by time between newest and oldest first. */
function OrderSwitch({ order, onChange }: { order: Order; onChange: (order: Order) => void }) {
  const newest = order === "newest";
  const Icon = newest ? ArrowDownWideNarrow : ArrowUpNarrowWide;
  return (
    <Button
      size="sm"
      variant="ghost"
      className="-mr-2.5 w-fit self-end"
      onClick={() => onChange(newest ? "oldest" : "newest")}
    >
      <Icon aria-hidden strokeWidth={1.75} />
      {newest ? "Newest first" : "Oldest first"}
    </Button>
  );
}
