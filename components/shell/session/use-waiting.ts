"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { requestCounts } from "@/lib/api-client/requests.ts";

/**
 * The number of requests that wait for the current user: their own and the unassigned ones. Excludes requests
 * claimed by or assigned to colleagues, though All shows them. 0 for users who may not answer.
 */
export function useWaiting(): number {
  const me = useMe();
  const { data } = useQuery({ ...requestCounts(), enabled: me.may("requests:answer") });
  return data ? data.mine + data.unassigned : 0;
}
