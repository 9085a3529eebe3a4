"use client";

import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn.ts";
import { tabStyle } from "@/components/ui/tab-style.ts";

export function Tabs({
  value,
  onChange,
  tabs,
  children,
}: {
  value: string;
  onChange: (value: string) => void;
  tabs: { value: string; label: string; count?: number }[];
  children: ReactNode;
}) {
  return (
    <Radix.Root value={value} onValueChange={onChange} className="flex min-w-0 flex-col gap-4">
      <div className="border-line border-b">
        <Radix.List className="-mx-1.5 -mb-px flex gap-2 max-md:gap-1 overflow-x-auto overflow-y-hidden">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              ref={tab.value === value ? intoView : undefined}
              className={cn(tabStyle, "data-[state=active]:text-ink data-[state=active]:after:bg-accent")}
            >
              {tab.label}
              {tab.count !== undefined && tab.count > 0 && <span className="text-muted">{tab.count}</span>}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {children}
    </Radix.Root>
  );
}

/** Scrolls the row of tabs, which is wider than a phone, so that the active tab is whole. The page stays where it is. */
function intoView(tab: HTMLElement | null): void {
  const row = tab?.parentElement;
  if (!tab || !row) return;
  const left = tab.offsetLeft - row.offsetLeft;
  const right = left + tab.offsetWidth - row.clientWidth;
  if (left < row.scrollLeft) row.scrollLeft = left;
  else if (right > row.scrollLeft) row.scrollLeft = right;
}

export function TabPanel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Radix.Content value={value} className="min-w-0 rounded-md">
      {children}
    </Radix.Content>
  );
}
