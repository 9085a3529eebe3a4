"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { MenuChoices, MenuLabel, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Preferences } from "@/lib/people/members/member-schema.ts";
import { GROUPING_WORDS, ORDER_WORDS } from "@/lib/requests/words/filter-words.ts";
import {
  defaultOrder,
  GROUPINGS,
  type InboxGrouping,
  type InboxOrder,
  ordersOf,
} from "@/lib/requests/words/inbox-filters.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import type { RequestTab } from "@/lib/web/client/requests.ts";
import type { InboxPlace } from "./use-inbox-place.ts";

const DENSITIES = [
  { value: "comfortable", label: "Comfortable" },
  { value: "compact", label: "Compact" },
];

/** Menu items for the order, the groups and the density of the list. */
export function OrderItems({ place, tab }: { place: InboxPlace; tab: RequestTab }) {
  const { preferences, prefer, view } = useMe();
  return (
    <>
      <MenuLabel>Sort by</MenuLabel>
      <MenuChoices
        name="Sort by"
        value={orderOf(place, tab)}
        onChange={(order) =>
          place.go({ filters: { order: order === defaultOrder(tab) ? "" : (order as InboxOrder) } })
        }
        choices={ordersOf(tab).map((value) => ({ value, label: ORDER_WORDS[value] }))}
      />
      <MenuSeparator />
      <MenuLabel>Group by</MenuLabel>
      <MenuChoices
        name="Group by"
        value={place.filters.group}
        onChange={(group) => place.go({ filters: { group: group as InboxGrouping | "" } })}
        choices={[
          { value: "", label: "None" },
          ...GROUPINGS.map((value) => ({ value, label: GROUPING_WORDS[value] })),
        ]}
      />
      {/* The preferences of the member that an admin views as stay as they are. */}
      {!view && (
        <>
          <MenuSeparator />
          <MenuLabel>Density</MenuLabel>
          <MenuChoices
            name="Density"
            value={preferences.density}
            onChange={(density) => {
              prefer({ density: density as Preferences["density"] }).catch((error: unknown) =>
                toast.error(errorSentence(error)),
              );
            }}
            choices={DENSITIES}
          />
        </>
      )}
    </>
  );
}

/** Returns the active order. */
export function orderOf(place: InboxPlace, tab: RequestTab): InboxOrder {
  return place.filters.order || defaultOrder(tab);
}
