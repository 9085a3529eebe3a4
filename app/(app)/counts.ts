import { cache } from "react";
import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { countOpenRequests } from "@/lib/requests/lists/list.ts";
import { requestCounts } from "@/lib/web/client/requests.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";

/** The number of open requests, read once per page: the navigation always shows it. */
export const currentCounts = cache(() =>
  readForPage((tx, principal) => countOpenRequests(tx, principal, {})),
);

export async function readCounts(): Promise<ReadAlready> {
  return [[requestCounts().queryKey, await currentCounts()]];
}
