import { headers } from "next/headers";
import { AppError } from "@/lib/base/errors.ts";
import { log } from "@/lib/base/log.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";

/**
 * Reads what a page shows first, so that it comes with the page. `instead`: where it cannot be read; the page then asks
 * the API, which says why.
 */
export async function prefetch<T>(work: Parameters<typeof readForPage<T>>[0], instead: T): Promise<T> {
  try {
    return await readForPage(work);
  } catch (error) {
    if (!(error instanceof AppError)) log.warn({ err: error }, "A page is shown without what it shows first");
    return instead;
  }
}

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The parameters of the address, as `URLSearchParams` reads them. */
export async function readParams(params: SearchParams): Promise<(name: string) => string | undefined> {
  const all = await params;
  return (name) => {
    const value = all[name];
    return Array.isArray(value) ? value[0] : value;
  };
}

/** Guesses by the browser's name: how wide its screen is the server does not know. */
export async function isPhone(): Promise<boolean> {
  return /\bMobile\b/.test((await headers()).get("user-agent") ?? "");
}
