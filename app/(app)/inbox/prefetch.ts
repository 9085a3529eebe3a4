import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { may } from "@/lib/access/permissions.ts";
import type { Principal } from "@/lib/access/principal.ts";
import type { Tx } from "@/lib/base/db/db.ts";
import { AppError } from "@/lib/base/errors.ts";
import { pageQuerySchema } from "@/lib/base/page.ts";
import { readDeclineReasons, readUndoWindow } from "@/lib/people/organizations/organization-reads.ts";
import { listInputRequests } from "@/lib/requests/lists/list.ts";
import { requestListQuerySchema } from "@/lib/requests/lists/request-list-schema.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { listViews } from "@/lib/requests/saved-views/saved-view-reads.ts";
import { viewer } from "@/lib/requests/saved-views/saved-view-writes.ts";
import { readSimilar } from "@/lib/requests/similar/similar.ts";
import { readFilters } from "@/lib/requests/words/inbox-filters.ts";
import { listTaskEvents } from "@/lib/tasks/task-event-reads.ts";
import { requireVisibleTask } from "@/lib/tasks/task-reads.ts";
import { taskEventQuerySchema } from "@/lib/tasks/task-schema.ts";
import { holdsMoreThan } from "@/lib/text/json.ts";
import { declineReasons, undoWindow } from "@/lib/web/client/organization.ts";
import { requestsOfTask, similarRequests } from "@/lib/web/client/request-context.ts";
import {
  FIRST_PAGE,
  firstTab,
  listQuery,
  REQUEST_TABS,
  requestDetail,
  requestKeys,
  savedViews,
} from "@/lib/web/client/requests.ts";
import { taskEvents } from "@/lib/web/client/tasks/task-history.ts";
import { idParams } from "@/lib/web/http/route.ts";
import { prefetch, readFor } from "../prefetch.ts";

const listSchema = pageQuerySchema.extend(requestListQuerySchema.shape);

export interface FirstView {
  read: ReadAlready;
  /** The request beside the list if the URL names none. */
  first: string | null;
}

/**
 * Reads the inbox's first view: the list, and the request beside it. `id`: the request in the URL; `param`:
 * reads the query string; `beside`: whether the screen has room for a request.
 */
export async function readFirstView(
  id: string | undefined,
  param: (name: string) => string | undefined,
  beside: boolean,
): Promise<FirstView> {
  const filters = readFilters(param);
  return prefetch<FirstView>(
    async (tx, principal) => {
      const tab =
        REQUEST_TABS.find((each) => each === param("tab")) ??
        firstTab(may(principal.role, "requests:answer"));
      const asked = listSchema.parse({ ...listQuery(tab, filters), limit: FIRST_PAGE });
      const list = await listInputRequests(tx, principal, asked);
      const views: ReadAlready = [];
      // A member's own views are not looked at as that member.
      if (!principal.isView) {
        const items = await listViews(tx, viewer(principal), "inbox");
        views.push([savedViews("inbox").queryKey, { items, nextCursor: null }]);
      }
      const first = (beside && !id && list.items[0]?.id) || null;
      const shown = id ?? first;
      return {
        first,
        read: [
          ...readFor(principal),
          [requestKeys.list(tab, filters), { pages: [list], pageParams: [""] }],
          ...views,
          [undoWindow().queryKey, await readUndoWindow(tx)],
          [declineReasons().queryKey, await readDeclineReasons(tx)],
          ...(shown ? await readRequest(tx, principal, shown) : []),
        ],
      };
    },
    { read: [], first: null },
  );
}

/** The most values of arguments that a page carries: React writes each several times, in one turn, the API once. */
const MOST_VALUES = 10_000;

/** Reads a request and its context; empty if the person may not see the request, or the browser has to read it by itself. */
async function readRequest(tx: Tx, principal: Principal, id: string): Promise<ReadAlready> {
  if (!idParams.safeParse({ id }).success) return [];
  try {
    const request = await readInputRequest(tx, principal, id);
    if (holdsMoreThan(request.arguments, MOST_VALUES)) return [];
    const { taskId } = request;
    const similar = await readSimilar(tx, principal, id);
    const questions = await listInputRequests(tx, principal, listSchema.parse({ taskId }));
    await requireVisibleTask(tx, principal, taskId);
    const newest = taskEventQuerySchema.parse({ order: "newest", limit: 200 });
    return [
      [requestDetail(id).queryKey, request],
      [similarRequests(id).queryKey, similar],
      [requestsOfTask(taskId).queryKey, questions],
      [taskEvents(taskId).queryKey, await listTaskEvents(tx, taskId, newest)],
    ];
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
