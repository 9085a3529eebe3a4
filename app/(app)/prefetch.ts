import { headers } from "next/headers";
import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import type { Principal } from "@/lib/access/principal.ts";
import { AppError } from "@/lib/base/errors.ts";
import { log } from "@/lib/base/log.ts";
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
