"use client";

import { CheckCheck, SearchX } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { isNarrowed, NOT_SEARCHED } from "@/lib/requests/words/filter-words.ts";
import type { InboxFilters } from "@/lib/requests/words/inbox-filters.ts";
import { EMPTY_TABS, type RequestTab } from "@/lib/web/client/requests.ts";

const WHAT_COMES: Record<RequestTab, string> = {
  mine: "New requests that you may decide appear here.",
  unassigned: "Every open request has an owner.",
  all: "New requests appear here.",
  done: "Requests move here once they are answered or have ended.",
};

/** An empty list: the reason and the next step. */
export function NoRows({
  tab,
  filters,
  elsewhere,
  onClear,
  onAll,
}: {
  tab: RequestTab;
  filters: InboxFilters;
  /** The number of requests in All. */
  elsewhere: number;
  onClear: () => void;
  onAll: () => void;
}) {
  const others = tab !== "all" && tab !== "done" && elsewhere > 0;
  if (isNarrowed(filters)) {
    const only = { ...filters, q: "" };
    return (
      <Empty
        icon={SearchX}
        title={
          filters.q && !isNarrowed(only) ? `Nothing matches “${filters.q}”` : "Nothing matches these filters"
        }
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {others && <Button onClick={onAll}>{`Look in All (${elsewhere})`}</Button>}
            <Button onClick={onClear}>{isNarrowed(only) ? "Clear filters" : "Clear search"}</Button>
          </div>
        }
      />
    );
  }
  return (
    <Empty
      icon={CheckCheck}
      title={EMPTY_TABS[tab]}
      action={others && <Button onClick={onAll}>{`Show all ${elsewhere}`}</Button>}
    >
      {WHAT_COMES[tab]}
    </Empty>
  );
}

/** What a search of sealed requests leaves out, above what it found. */
export function NotSearched() {
  return <p className="px-4 pb-2.5 text-[13px] text-muted">{NOT_SEARCHED}</p>;
}
