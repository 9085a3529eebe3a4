import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { pageQuerySchema } from "@/lib/base/page.ts";
import { listInputRequests } from "@/lib/requests/lists/list.ts";
import { requestListQuerySchema } from "@/lib/requests/lists/request-list-schema.ts";
import { readOverview } from "@/lib/requests/statistics/statistics-reads.ts";
import { readRange } from "@/lib/requests/statistics/statistics-schema.ts";
import { countTasks, listTasks } from "@/lib/tasks/task-list-reads.ts";
import { taskListQuerySchema } from "@/lib/tasks/task-schema.ts";
import { requireSession } from "@/lib/web/auth/session.ts";
import {
  attentionCounts,
  OLDEST,
  oldestRequests,
  overview,
  STUCK,
  stuckTasks,
} from "@/lib/web/client/overview.ts";
import { prefetch, readFor, readParams, readServerList, type SearchParams } from "../prefetch.ts";
import { OverviewScreen } from "./overview-screen.tsx";

export const metadata = { title: "Overview" };

const DAY_MS = 24 * 3600_000;
const taskSchema = pageQuerySchema.extend(taskListQuerySchema.shape);
const requestSchema = pageQuerySchema.extend(requestListQuerySchema.shape);

export default async function OverviewPage({ searchParams }: { searchParams: SearchParams }) {
  await requireSession();
  const range = readRange((await readParams(searchParams))("range"));
  const dayAgo = new Date(Date.now() - DAY_MS).toISOString();
  const read = await prefetch<ReadAlready>(
    async (tx, principal) => [
      ...readFor(principal),
      [overview(range).queryKey, await readOverview(tx, range, new Date())],
      [attentionCounts().queryKey, await countTasks(tx, principal, dayAgo)],
      [stuckTasks().queryKey, await listTasks(tx, principal, taskSchema.parse(STUCK))],
      [oldestRequests().queryKey, await listInputRequests(tx, principal, requestSchema.parse(OLDEST))],
      ...(await readServerList(tx, principal)),
    ],
    [],
  );
  return <OverviewScreen read={read} />;
}
