"use client";

import { MenuChoices, MenuLabel } from "@/components/ui/overlay/menu.tsx";
import type { RequestTab } from "@/lib/api-client/requests.ts";
import { ORDER_WORDS } from "@/lib/format/requests/filter-words.ts";
import { type InboxOrder, ORDERS } from "@/lib/format/requests/inbox-filters.ts";
import type { InboxPlace } from "./use-inbox-place.ts";

/** Menu items for the orders of the list. */
export function OrderItems({ place, tab }: { place: InboxPlace; tab: RequestTab | null }) {
  return (
    <>
      <MenuLabel>Order</MenuLabel>
      <MenuChoices
        value={orderOf(place, tab)}
        onChange={(order) => place.go({ filters: { order: order as InboxOrder } })}
        choices={ORDERS.map((value) => ({ value, label: ORDER_WORDS[value] }))}
      />
    </>
  );
}

/** Returns the active order. By default the longest-waiting request comes first, and in Done the latest. */
export function orderOf(place: InboxPlace, tab: RequestTab | null): InboxOrder {
  return place.filters.order || (tab === "done" ? "newest" : "oldest");
}
