"use client";

import { useQuery } from "@tanstack/react-query";
import { useFormats } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import { activeTabStyle, tabStyle } from "@/components/ui/tab-style.ts";
import {
  REQUEST_TABS,
  type RequestTab,
  requestCounts,
  TAB_HINTS,
  TAB_NAMES,
  tabCount,
} from "@/lib/web/client/requests.ts";
import type { InboxPlace } from "./use-inbox-place.ts";

/** Links, not buttons: a tab can be opened in a browser tab. The counts respect the filters. */
export function InboxTabs({ active, place }: { active: RequestTab; place: InboxPlace }) {
  const { number } = useFormats();
  const { data: counts } = useQuery(requestCounts(place.filters));
  return (
    <nav aria-label="Which requests" className="-mx-1.5 flex gap-1 overflow-x-auto overflow-y-hidden">
      {REQUEST_TABS.map((tab) => {
        const count = counts ? tabCount(tab, counts) : 0;
        return (
          <a
            key={tab}
            href={place.address({ tab })}
            title={TAB_HINTS[tab]}
            aria-current={tab === active ? "page" : undefined}
            className={cn(tabStyle, tab === active && activeTabStyle)}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              place.go({ tab });
            }}
          >
            {TAB_NAMES[tab]}
            {count > 0 && <span className="font-normal text-muted tabular-nums">{number(count)}</span>}
          </a>
        );
      })}
    </nav>
  );
}
