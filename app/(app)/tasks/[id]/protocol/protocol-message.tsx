"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ArrowDownLeft, ArrowUpRight, Copy } from "lucide-react";
import { memo, useState } from "react";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { copyText } from "@/components/ui/copy-text.ts";
import { serverTools } from "@/lib/api-client/servers.ts";
import { gistOf } from "@/lib/format/tasks/task-message.ts";
import type { ServerDetail } from "@/lib/servers/schema.ts";
import { asCurl, asLine } from "@/lib/tasks/curl.ts";
import type { TaskDetail, TaskMessage } from "@/lib/tasks/schema.ts";

interface Props {
  message: TaskMessage;
  task: TaskDetail;
  server: ServerDetail | undefined;
}

/** One message: a line that unfolds. Memoized, because a message never changes. */
export const ProtocolMessage = memo(
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
