"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { requestKeys } from "@/components/api/requests.ts";
import { serverKeys } from "@/components/api/servers.ts";
import { openStream, type StreamNews } from "@/components/api/stream.ts";
import { taskKeys } from "@/components/api/tasks.ts";

/** Changes that arrive together are refetched together. */
const COALESCE_MS = 200;

/** Keeps what is on screen true: turns the stream's hints into refetches, and says when there is no connection. */
export function Live({ scope }: { scope: string }) {
  const client = useQueryClient();
  const [connected, setConnected] = useState(true);

  useEffect(() => {
    const waiting = new Map<string, StreamNews>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      for (const news of waiting.values()) refetch(client, news);
      waiting.clear();
    };
    const close = openStream(scope, (news) => {
      if (news.kind === "lost") return setConnected(false);
      setConnected(true);
      waiting.set(news.kind === "open" ? "open" : `${news.topic}:${news.id}`, news);
      timer ??= setTimeout(flush, COALESCE_MS);
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [client, scope]);

  return connected ? null : (
    <div
      role="status"
      className="flex items-center justify-center gap-2 border-b border-wait/30 bg-wait-soft px-4 py-1.5 text-[13px] text-wait"
    >
      <WifiOff aria-hidden className="size-4" strokeWidth={1.75} />
      No connection. What you see may be old, and decisions are not taken until it is back.
    </div>
  );
}

function refetch(client: QueryClient, news: StreamNews) {
  const keys = news.kind === "change" ? keysOf(news.topic, news.id) : [[]];
  for (const queryKey of keys) void client.invalidateQueries({ queryKey });
}

function keysOf(topic: string, id: string): (readonly string[])[] {
  switch (topic) {
    case "task":
      return [taskKeys.task(id), taskKeys.lists, taskKeys.counts];
    case "input_request":
      return [requestKeys.detail(id), requestKeys.lists];
    case "server":
      return [serverKeys.list, serverKeys.server(id)];
    default:
      return [];
  }
}
