"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "@/components/chart/chart-card.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { failureGroups, type TaskQuery } from "@/lib/web/client/tasks/tasks.ts";
import { FailureGroups } from "./failure-groups.tsx";

/** The failures of the list by cause, above it. Renders nothing if they cannot be read; the list still has each. */
export function FailurePanel({ query }: { query: TaskQuery }) {
  const { number } = useFormats();
  const groups = useQuery(failureGroups(query));
  if (!groups.data || groups.data.items.length === 0) return null;
  const { state: _, order: __, ...filter } = query;
  const { counted, items } = groups.data;
  return (
    <Card
      title="By cause"
      note={`${counted >= MOST_COUNTED ? `The last ${number(counted)} failures` : `${number(counted)} failures`}. Grouped by tool and error, ignoring numbers. The latest is shown`}
      className="gap-1.5"
    >
      <FailureGroups groups={items} filter={filter} />
    </Card>
  );
}

/** The API reads as many failures. */
const MOST_COUNTED = 5_000;
