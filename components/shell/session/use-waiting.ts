"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { requestCounts } from "@/lib/api-client/requests.ts";

/**
 * How many requests wait for the person before the screen to act: theirs, and those that nobody has taken. What a
 * colleague has claimed or was assigned is not counted, though All shows it. Nothing waits for those who only read.
 */
export function useWaiting(): number {
  const me = useMe();
  const { data } = useQuery({ ...requestCounts(), enabled: me.may("requests:answer") });
  return data ? data.mine + data.unassigned : 0;
}
