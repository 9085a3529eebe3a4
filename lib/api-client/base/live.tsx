"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { agentKeys } from "@/lib/api-client/agents/agents.ts";
import { openStream, type StreamNews } from "@/lib/api-client/base/stream.ts";
import { noteConnection } from "@/lib/api-client/connection.ts";
import { requestKeys } from "@/lib/api-client/requests.ts";
import { serverKeys } from "@/lib/api-client/server-keys.ts";
import { taskKeys } from "@/lib/api-client/tasks/task-keys.ts";

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
