"use client";

import { useQuery } from "@tanstack/react-query";
import { requestCounts } from "@/lib/web/client/requests.ts";

/** The number of requests that the current user may decide now: the count of the tab “For you”. */
export function useWaiting(): number {
  return useQuery(requestCounts()).data?.waiting ?? 0;
}
