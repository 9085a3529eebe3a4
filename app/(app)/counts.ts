import { cache } from "react";
import type { ReadAlready } from "@/components/api/provider.tsx";
import { requestCounts } from "@/components/api/requests.ts";
import { countOpenRequests } from "@/lib/input-requests/list.ts";
import { readForPage } from "@/lib/web/read-for-page.ts";

/** How many requests wait, asked once a page: the navigation shows it everywhere. */
export const currentCounts = cache(() =>
  readForPage((organizationId, tx, principal) => countOpenRequests(organizationId, tx, principal, {})),
);

export async function readCounts(): Promise<ReadAlready> {
  return [[requestCounts().queryKey, await currentCounts()]];
}
