import { cache } from "react";
import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { countUnread } from "@/lib/outbound/notices/notice-reads.ts";
import { countOpenRequests } from "@/lib/requests/lists/list.ts";
import { noticeCounts } from "@/lib/web/client/notices.ts";
import { requestCounts } from "@/lib/web/client/requests.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";

/** The number of open requests, read once per page: the navigation always shows it. */
export const currentCounts = cache(() =>
  readForPage((tx, principal) => countOpenRequests(tx, principal, {})),
);

export async function readCounts(): Promise<ReadAlready> {
  return [[requestCounts().queryKey, await currentCounts()]];
}

/** The number of unread notifications, for the bell. */
export async function readUnread(): Promise<ReadAlready> {
  return [[noticeCounts().queryKey, { unread: await readForPage(countUnread) }]];
}
