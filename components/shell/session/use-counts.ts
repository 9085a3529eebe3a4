"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { noticeCounts } from "@/lib/web/client/notices.ts";
import { requestCounts } from "@/lib/web/client/requests.ts";

/** The number of requests that the current user may decide now: the count of the tab “For you”. */
export function useWaiting(): number {
  return useQuery(requestCounts()).data?.waiting ?? 0;
}

/** The number of the person's unread notifications, at most 100. A view as a member shows none. */
export function useUnread(): number {
  const { view } = useMe();
  return useQuery({ ...noticeCounts(), enabled: view === null }).data?.unread ?? 0;
}

/** Counting ends at 100. Apart from the words of notices, which no page of the shell loads. */
export function unreadWords(unread: number): string {
  return unread < 100 ? String(unread) : "99+";
}
