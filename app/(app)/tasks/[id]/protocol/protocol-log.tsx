"use client";

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDownLeft, ArrowUpRight, Copy } from "lucide-react";
import { memo, useEffect, useMemo, useState } from "react";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock } from "@/components/time/time.tsx";
import { TimelineSkeleton } from "@/components/timeline/timeline.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Input, Select } from "@/components/ui/field.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";
import { MESSAGES_KEPT } from "@/lib/history/protocol-messages/limits.ts";
import type { ServerDetail } from "@/lib/servers/server-schema.ts";
import { asCurl, asLine } from "@/lib/tasks/message-as-command.ts";
import type { TaskDetail, TaskMessage } from "@/lib/tasks/task-schema.ts";
import { gistOf } from "@/lib/tasks/words/task-message.ts";
import { serverDetail, serverTools } from "@/lib/web/client/servers.ts";
import { type MessageFilter, taskMessages } from "@/lib/web/client/tasks/task-history.ts";

interface Props {
  message: TaskMessage;
  task: TaskDetail;
  server: ServerDetail | undefined;
}

/** One message: a line that unfolds. Memoized, because a message never changes. */
const ProtocolMessage = memo(
  function ProtocolMessage(props: Props) {
    const { message } = props;
    const [open, setOpen] = useState(false);
    const out = message.direction === "out";
    const Icon = out ? ArrowUpRight : ArrowDownLeft;
    return (
      <li>
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="flex min-h-9 list-none max-md:min-h-11 items-center gap-3 px-3 py-1.5 hover:bg-sunken focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
            <Icon
              aria-hidden
              className={out ? "size-4 shrink-0 text-accent" : "size-4 shrink-0 text-muted"}
              strokeWidth={1.75}
            />
            <span className="sr-only">{out ? "sent" : "received"}</span>
            <span className="flex min-w-0 flex-1 items-baseline gap-3">
              <span className="max-w-full shrink-0 truncate font-mono text-xs">{message.method}</span>
              <span className="min-w-0 truncate text-muted text-xs">
                <PlainText text={gistOf(message.body)} />
              </span>
            </span>
            <Clock at={message.at} className="shrink-0 text-muted text-xs" />
          </summary>
          {/* Folded messages are not rendered. */}
          {open && (
            <div className="flex flex-col gap-2 px-3 pb-3">
              <CopyButtons {...props} />
              <JsonTree value={message.body} open={3} />
            </div>
          )}
        </details>
      </li>
    );
  },
  (before, after) => before.message === after.message && before.server === after.server,
);

function CopyButtons({ message, task, server }: Props) {
  const client = useQueryClient();
  const copyCurl = async () => {
    if (!server) return;
    const call = message.method === "tools/call" && task.era === "2026-07-28";
    // The schema says which arguments are sent as headers too; without the schema the command omits those
    // headers.
    const tools = call ? await client.fetchQuery(serverTools(server.id)).catch(() => null) : null;
    const schema = tools?.items.find(({ name }) => name === task.tool)?.inputSchema;
    const { url, authKind } = server;
    copyText(asCurl(message, { url, authKind, era: task.era }, schema) ?? "", "Copied as curl");
  };
  const overHttp = message.direction === "out" && server?.kind === "http";
  return (
    <div className="flex flex-wrap items-center gap-2">
      {overHttp && (
        <Button size="sm" onClick={() => void copyCurl()}>
          <Copy aria-hidden strokeWidth={1.75} />
          Copy as curl
        </Button>
      )}
      <Button size="sm" onClick={() => copyText(asLine(message), "Copied as JSON")}>
        <Copy aria-hidden strokeWidth={1.75} />
        Copy as JSON
      </Button>
      {overHttp && <span className="text-muted text-xs">Secrets are variables such as $TOKEN in it.</span>}
    </div>
  );
}

const DEBOUNCE_MS = 250;

/** The filters of the protocol log. */
function ProtocolFilters({
  filter,
  methods,
  onChange,
}: {
  filter: MessageFilter;
  methods: string[];
  onChange: (filter: MessageFilter) => void;
}) {
  const [text, setText] = useState(filter.q);
  useEffect(() => {
    if (text.trim() === filter.q) return;
    const timer = setTimeout(() => onChange({ ...filter, q: text.trim() }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, filter, onChange]);
  return (
    <search className="flex flex-wrap gap-2.5">
      <Input
        type="search"
        aria-label="Search in the messages"
        placeholder="Search in the messages"
        className="md:max-w-xs"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        aria-label="Direction"
        className="base:md:w-44"
        value={filter.direction}
        onChange={(event) => onChange({ ...filter, direction: event.target.value })}
      >
        <option value="">Sent and received</option>
        <option value="out">Sent</option>
        <option value="in">Received</option>
      </Select>
      <Select
        aria-label="Method"
        className="base:md:w-56"
        value={filter.method}
        onChange={(event) => onChange({ ...filter, method: event.target.value })}
      >
        <option value="">All methods</option>
        {methods.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </Select>
    </search>
  );
}

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
  if (!messages.data)
    return (
      <Unread what="The protocol" query={messages}>
        <TimelineSkeleton />
      </Unread>
    );
  const methods = messages.data.pages[0]?.methods ?? [];
  if (methods.length === 0) return <p className="text-muted">No messages yet</p>;
  return (
    <div className="flex flex-col gap-3">
      <ProtocolFilters filter={filter} methods={methods} onChange={setFilter} />
      {items.length === 0 ? (
        <p role="status" className="text-muted">
          No message matches.
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
        We keep the newest {MESSAGES_KEPT} messages per task. Opening this tab is logged.
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
