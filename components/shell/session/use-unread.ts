"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { noticeCounts } from "@/lib/web/client/notices.ts";

/** The number of the person's unread notifications, at most 100. A view as a member shows none. */
export function useUnread(): number {
  const { view } = useMe();
  return useQuery({ ...noticeCounts(), enabled: view === null }).data?.unread ?? 0;
}
