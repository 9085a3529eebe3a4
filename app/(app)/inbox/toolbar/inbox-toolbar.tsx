"use client";

import { ArrowUpDown, Bookmark, ListChecks, ListFilter, MessageCirclePlus } from "lucide-react";
import type { RefObject } from "react";
import type { SavedViews, ViewDialog } from "@/components/list/saved-views.ts";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { UserMenu } from "@/components/shell/user-menu.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import { filterCount } from "@/lib/requests/words/inbox-filters.ts";
import { plural } from "@/lib/text/labels.ts";
import type { RequestTab } from "@/lib/web/client/requests.ts";
import type { InboxPlace } from "./use-inbox-place.ts";

const OrderItems = lazyComponent(() => import("./order-items.tsx").then((file) => file.OrderItems), {
  warm: true,
});

/** The page's title, and the controls that filter and order the list. */
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
  tab: RequestTab;
  views: SavedViews;
  selecting: boolean;
  filtering: boolean;
  filterButton: RefObject<HTMLButtonElement | null>;
  onFilter: () => void;
  onSelecting: (on: boolean) => void;
  onDialog: (dialog: ViewDialog) => void;
}) {
  const me = useMe();
  const filters = filterCount(place.filters);
  const label = filters > 0 ? `Filter, ${plural(filters, "filter")} on` : "Filter";
  return (
    <div className="flex h-8 items-center max-md:h-11">
      <p aria-hidden className="mr-auto font-semibold text-[17px] tracking-tight">
        Inbox
      </p>
      {me.may("requests:ask") && (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Ask somebody…"
          title="Ask somebody…"
          aria-haspopup="dialog"
          onClick={() => openOverlay("ask")}
        >
          <MessageCirclePlus aria-hidden strokeWidth={1.75} />
        </Button>
      )}
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
        items={OrderItems}
        trigger={
          <Button variant="ghost" size="icon" aria-label="Sort and layout" title="Sort and layout">
            <ArrowUpDown
              aria-hidden
              strokeWidth={1.75}
              className={place.filters.order || place.filters.group ? "text-accent" : undefined}
            />
          </Button>
        }
      >
        <OrderItems place={place} tab={tab} />
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
      {!me.view && <ViewsMenu views={views} onDialog={onDialog} />}
      <span className="md:hidden">
        <UserMenu />
      </span>
    </div>
  );
}

const ViewsMenuItems = lazyComponent(() => import("../list-chunk.ts").then((file) => file.ViewsMenuItems), {
  warm: true,
});

/** A menu of personal and shared views, with the actions for the open one. */
function ViewsMenu({ views, onDialog }: { views: SavedViews; onDialog: (dialog: ViewDialog) => void }) {
  const { current } = views;
  return (
    <Menu
      items={ViewsMenuItems}
      trigger={
        <Button variant="ghost" size="icon" aria-label="Saved views" title="Saved views">
          <Bookmark
            aria-hidden
            strokeWidth={1.75}
            className={current ? "fill-accent-soft text-accent" : ""}
          />
        </Button>
      }
    >
      <ViewsMenuItems views={views} onDialog={onDialog} />
    </Menu>
  );
}
