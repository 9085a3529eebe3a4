"use client";

import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { REQUEST_TABS, type RequestTab, requestList } from "@/components/api/requests.ts";
import { cn } from "@/components/ui/cn.ts";
import { activeTabStyle, tabStyle } from "@/components/ui/tab-style.ts";
import { capitalise } from "@/lib/format/labels.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import type { Page } from "@/lib/page.ts";
import { useInboxPlace } from "./use-inbox-place.ts";

type Counts = Record<RequestTab, string>;

/** Links, not buttons: a tab is a place that can be opened beside this one. */
export function InboxTabs({ active, counts }: { active: RequestTab | null; counts: Counts }) {
  const place = useInboxPlace();
  return (
    <nav aria-label="Which requests" className="flex gap-4 overflow-x-auto overflow-y-hidden">
      {REQUEST_TABS.map((tab) => (
        <a
          key={tab}
          href={place.address({ tab })}
          aria-current={tab === active ? "page" : undefined}
          className={cn(tabStyle, "mb-0", tab === active && activeTabStyle)}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            place.go({ tab });
          }}
        >
          {capitalise(tab)}
          {counts[tab] && <span className="font-normal text-muted">{counts[tab]}</span>}
        </a>
      ))}
    </nav>
  );
}

/** What waits in each tab; `50+` where there is more than one page. Done things are not counted. */
export function useTabCounts(): Counts {
  const mine = useInfiniteQuery(requestList("mine"));
  const unassigned = useInfiniteQuery(requestList("unassigned"));
  const all = useInfiniteQuery(requestList("all"));
  return { mine: count(mine.data), unassigned: count(unassigned.data), all: count(all.data), done: "" };
}

function count(data: InfiniteData<Page<InputRequestSummary>> | undefined): string {
  const loaded = data?.pages.reduce((sum, page) => sum + page.items.length, 0) ?? 0;
  if (loaded === 0) return "";
  return `${loaded}${data?.pages.at(-1)?.nextCursor ? "+" : ""}`;
}
