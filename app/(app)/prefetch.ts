import { headers } from "next/headers";
import { cache } from "react";
import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import type { Principal } from "@/lib/access/principal.ts";
import type { Tx } from "@/lib/base/db/db.ts";
import { AppError } from "@/lib/base/errors.ts";
import { log } from "@/lib/base/log.ts";
import { pageQuerySchema } from "@/lib/base/page.ts";
import { countUnread } from "@/lib/outbound/notices/notice-reads.ts";
import { countOpenRequests } from "@/lib/requests/lists/list.ts";
import { listServers } from "@/lib/servers/server-reads.ts";
import { noticeCounts } from "@/lib/web/client/notices.ts";
import { requestCounts } from "@/lib/web/client/requests.ts";
import { SERVERS_SHOWN, serverList } from "@/lib/web/client/servers.ts";
import { drawnFor } from "@/lib/web/http/session-refusals.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";

/**
 * Reads a page's first data on the server. Returns `instead` if the read fails; the page then calls the API,
 * which reports the error.
 */
export async function prefetch<T>(work: Parameters<typeof readForPage<T>>[0], instead: T): Promise<T> {
  try {
    return await readForPage(work);
  } catch (error) {
    if (!(error instanceof AppError)) log.warn({ err: error }, "A page is shown without what it shows first");
    return instead;
  }
}

/** Says in a page's first data for whom it was read. The page around it may have been rendered before a view. */
export function readFor(principal: Principal): ReadAlready {
  return [[["drawnFor"], drawnFor(principal)]];
}

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** Returns a reader of the query string, which yields the first value as `URLSearchParams` does. */
export async function readParams(params: SearchParams): Promise<(name: string) => string | undefined> {
  const all = await params;
  return (name) => {
    const value = all[name];
    return Array.isArray(value) ? value[0] : value;
  };
}

/** Guesses by the user agent, because the server does not know the screen's width. */
export async function isPhone(): Promise<boolean> {
  return /\bMobile\b/.test((await headers()).get("user-agent") ?? "");
}

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

/** Reads the servers under the pages' query key. */
export async function readServerList(tx: Tx, principal: Principal): Promise<ReadAlready> {
  const asked = pageQuerySchema.parse({ limit: SERVERS_SHOWN });
  return [[serverList().queryKey, await listServers(tx, principal, asked)]];
}
