"use client";

import { ArrowUpDown, ListChecks, ListFilter } from "lucide-react";
import type { RefObject } from "react";
import type { SavedViews, ViewDialog } from "@/components/list/saved-views.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { UserMenu } from "@/components/shell/user-menu.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Menu, MenuChoices, MenuLabel } from "@/components/ui/overlay/menu.tsx";
import type { RequestTab } from "@/lib/api-client/requests.ts";
import { chipsOf, type InboxOrder, ORDER_WORDS, ORDERS } from "@/lib/format/requests/inbox-filters.ts";
import { plural } from "@/lib/text/labels.ts";
import { ViewsMenu } from "../views/views-menu.tsx";
import type { InboxPlace } from "./use-inbox-place.ts";

/** The name of the page, and what changes which requests are listed and how. */
export function InboxToolbar({
  place,
  tab,
  views,
  selecting,
  filtering,
  filterButton,
  onFilter,
  onSelecting,
  onDialog,
}: {
  place: InboxPlace;
  tab: RequestTab | null;
  views: SavedViews;
  selecting: boolean;
  filtering: boolean;
  filterButton: RefObject<HTMLButtonElement | null>;
  onFilter: () => void;
  onSelecting: (on: boolean) => void;
  onDialog: (dialog: ViewDialog) => void;
}) {
  const me = useMe();
  const filters = chipsOf(place.filters, () => undefined).length;
  const label = filters > 0 ? `Filter, ${plural(filters, "filter")} on` : "Filter";
  return (
    <div className="flex h-8 items-center max-md:h-11">
      <p aria-hidden className="mr-auto font-semibold text-[17px] tracking-tight">
        Inbox
      </p>
      {me.may("requests:answer") && tab !== "done" && (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Select requests"
          title="Select requests"
          aria-pressed={selecting}
          className="aria-pressed:text-accent"
          onClick={() => onSelecting(!selecting)}
        >
          <ListChecks aria-hidden strokeWidth={1.75} />
        </Button>
      )}
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label="Order" title="Order">
            <ArrowUpDown
              aria-hidden
              strokeWidth={1.75}
              className={place.filters.order ? "text-accent" : undefined}
            />
          </Button>
        }
      >
        <MenuLabel>Order</MenuLabel>
        <MenuChoices
          value={orderOf(place, tab)}
          onChange={(order) => place.go({ filters: { order: order as InboxOrder } })}
          choices={ORDERS.map((value) => ({ value, label: ORDER_WORDS[value] }))}
        />
      </Menu>
      <Button
        ref={filterButton}
        variant="ghost"
        size="icon"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={filtering}
        onClick={onFilter}
      >
        <ListFilter aria-hidden strokeWidth={1.75} className={filters > 0 ? "text-accent" : undefined} />
      </Button>
      <ViewsMenu views={views} onDialog={onDialog} />
      <span className="md:hidden">
        <UserMenu />
      </span>
    </div>
  );
}

/** The order in force: who waits longest comes first, and of what is done the latest. */
export function orderOf(place: InboxPlace, tab: RequestTab | null): InboxOrder {
  return place.filters.order || (tab === "done" ? "newest" : "oldest");
}
