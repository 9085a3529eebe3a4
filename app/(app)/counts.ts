import { cache } from "react";
import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { requestCounts } from "@/lib/api-client/requests.ts";
import { countOpenRequests } from "@/lib/input-requests/list.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";

/** How many requests wait, asked once a page: the navigation shows it everywhere. */
export const currentCounts = cache(() =>
  readForPage((organizationId, tx, principal) => countOpenRequests(organizationId, tx, principal, {})),
);

export async function readCounts(): Promise<ReadAlready> {
  return [[requestCounts().queryKey, await currentCounts()]];
}
