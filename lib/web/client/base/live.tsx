"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { noteConnection } from "@/lib/web/client/connection.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { serverKeys } from "@/lib/web/client/servers.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

/** `open`: (re)connected; changes may have been missed. `lost`: no connection at the moment. */
type StreamNews = { kind: "open" } | { kind: "lost" } | { kind: "change"; topic: string; id: string };

/** Short breaks are normal, since the server ends streams now and then; only a longer break is reported. */
const LOST_AFTER_MS = 4_000;
const RECONNECT_MS = 5_000;

/**
 * Opens one event stream for all tabs of a browser, since six streams would use up the connections of
 * HTTP/1.1. The tab that holds the lock reads the stream and tells the others; when it closes, another takes
 * over. `scope`: the person and the organization, so that two sign-ins never share.
 */
function openStream(scope: string, listener: (news: StreamNews) => void): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(`intray:${scope}`);
  channel.onmessage = (message: MessageEvent<StreamNews>) => listener(message.data);
  const tell = (news: StreamNews) => {
    if (stop.signal.aborted) return;
    listener(news);
    channel.postMessage(news);
  };
  // Web Locks need a secure context. Without them every visible tab reads its own stream.
  if (navigator.locks) {
    navigator.locks
      .request(`intray:${scope}`, { signal: stop.signal }, () => read(tell, stop.signal))
      .catch(() => undefined);
  } else {
    void read(listener, stop.signal);
  }
  return () => {
    stop.abort();
    channel.close();
  };
}

function read(tell: (news: StreamNews) => void, signal: AbortSignal): Promise<void> {
  // The lock may be granted at the moment when its page gives up on it.
  if (signal.aborted) return Promise.resolve();
  let source: EventSource;
  let lost: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const connect = () => {
    source = new EventSource("/api/v1/stream");
    source.onopen = () => {
      clearTimeout(lost);
      lost = undefined;
      tell({ kind: "open" });
    };
    source.onerror = () => {
      lost ??= setTimeout(() => tell({ kind: "lost" }), LOST_AFTER_MS);
      // The browser retries a broken stream by itself, but gives up on a refused one.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, RECONNECT_MS);
    };
    source.addEventListener("change", (event: MessageEvent<string>) => {
      const data = JSON.parse(event.data) as { topic: string; id: string };
      tell({ kind: "change", topic: data.topic, id: data.id });
    });
  };
  connect();

  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      clearTimeout(lost);
      clearTimeout(again);
      source.close();
      resolve();
    });
  });
}

/** Changes that arrive within this time are refetched together. */
const COALESCE_MS = 200;
/** A refetch that takes longer no longer holds up the others. */
const READING_MS = 5_000;

/**
 * Keeps the screen up to date by turning the stream's hints into refetches.
 *
 * Only personal settings are shown before the server confirms them, and are reverted if it refuses: the
 * switches of `useMe().prefer`, and the theme, which never leaves the browser. Changes to a request, an
 * answer, a claim or a task are never shown before the server has stored them.
 */
export function Live({ scope }: { scope: string }) {
  const client = useQueryClient();
  useEffect(() => {
    const waiting = new Map<string, StreamNews>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    // A refetch cancels the one under way, so refetches wait for each other; otherwise none would finish
    // under constant changes.
    const flush = async () => {
      const reading = [...waiting.values()].map((news) => refetch(client, news));
      waiting.clear();
      await Promise.race([Promise.all(reading), new Promise((resolve) => setTimeout(resolve, READING_MS))]);
      timer = waiting.size > 0 && isOpen ? setTimeout(flush, COALESCE_MS) : undefined;
    };
    const close = openStream(scope, (news) => {
      noteConnection({ live: news.kind !== "lost" });
      waiting.set(news.kind === "change" ? `${news.topic}:${news.id}` : "all", news);
      timer ??= setTimeout(flush, COALESCE_MS);
    });
    return () => {
      isOpen = false;
      clearTimeout(timer);
      close();
    };
  }, [client, scope]);
  return null;
}

function refetch(client: QueryClient, news: StreamNews): Promise<unknown> {
  const keys = news.kind === "change" ? keysOf(news.topic, news.id) : [[]];
  return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

function keysOf(topic: string, id: string): (readonly string[])[] {
  switch (topic) {
    case "task":
      return [taskKeys.task(id), taskKeys.lists, taskKeys.counts];
    case "input_request":
      return [requestKeys.detail(id), requestKeys.lists];
    case "server":
      return [serverKeys.list, serverKeys.server(id)];
    case "agent":
      return [agentKeys.list, agentKeys.agent(id)];
    case "notice":
      return [["notices"]];
    case "*":
      // Hints may have been missed.
      return [[]];
    default:
      // Data of any other topic has keys that begin with the topic and the id.
      return [[topic, id]];
  }
}
