"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { serverDetail } from "@/lib/api-client/servers.ts";
import { type MessageFilter, taskMessages } from "@/lib/api-client/tasks/task-messages.ts";
import { MESSAGES_KEPT } from "@/lib/protocol-messages/limits.ts";
import type { TaskDetail, TaskMessage } from "@/lib/tasks/schema.ts";
import { ProtocolFilters } from "./protocol-filters.tsx";
import { ProtocolMessage } from "./protocol-message.tsx";

const NO_FILTER: MessageFilter = { direction: "", method: "", q: "" };

/**
 * The task's protocol messages in both directions, for server developers. Secrets were removed before
 * storage.
 */
export function ProtocolLog({ task }: { task: TaskDetail }) {
  const [filter, setFilter] = useState(NO_FILTER);
  const messages = useInfiniteQuery(taskMessages(task.id, filter));
  const server = useQuery(serverDetail(task.server.id));
  const items = useMemo(
    () => withKeys(messages.data?.pages.flatMap((page) => page.items) ?? []),
    [messages.data],
  );
  if (messages.isError) {
    return <LoadFailure what="The protocol" error={messages.error} onRetry={() => void messages.refetch()} />;
  }
  if (!messages.data) return <TimelineSkeleton />;
  const methods = messages.data.pages[0]?.methods ?? [];
  if (methods.length === 0) return <p className="text-muted">No messages yet</p>;
  return (
    <div className="flex flex-col gap-3">
      <ProtocolFilters filter={filter} methods={methods} onChange={setFilter} />
      {items.length === 0 ? (
        <p role="status" className="text-muted">
          No message is like that.
        </p>
      ) : (
        <ol
          aria-label="Messages, newest first"
          className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel"
        >
          {items.map(({ key, message }) => (
            <ProtocolMessage key={key} message={message} task={task} server={server.data} />
          ))}
        </ol>
      )}
      <LoadMore query={messages} />
      <p className="text-muted text-xs">
        Of each task the newest {MESSAGES_KEPT} messages are kept, without the server’s task ids, session ids
        and tokens; of a check that brought nothing new only the last. Reading them is noted in the history of
        the organization, and shown to who asked for the task.
      </p>
    </div>
  );
}

/**
 * Adds stable keys: new messages come first and old ones are removed, so a key derives from the message, not
 * from its index. An open message stays open.
 */
function withKeys(messages: TaskMessage[]): { key: string; message: TaskMessage }[] {
  const seen = new Map<string, number>();
  const keyed = [...messages].reverse().map((message) => {
    const { at, direction, method } = message;
    const name = `${at} ${direction} ${method}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { key: `${name} ${count}`, message };
  });
  return keyed.reverse();
}
