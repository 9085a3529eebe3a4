"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type SavedViews, useSavedViews, type ViewDialog } from "@/components/list/saved-views.ts";
import { SearchField } from "@/components/list/search-field.tsx";
import { type ReadAlready, useRead } from "@/components/shell/api-provider.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { useWaiting } from "@/components/shell/session/use-counts.ts";
import { useTitle } from "@/components/shell/use-title.ts";
import { cn } from "@/components/ui/cn.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import { isWide } from "@/components/ui/wide.ts";
import {
  filterCount,
  type InboxFilters,
  readFilters,
  viewQuery,
} from "@/lib/requests/words/inbox-filters.ts";
import { firstTab, REQUEST_TABS, type RequestTab, requestList } from "@/lib/web/client/requests.ts";
import { useNext } from "./answer/decision-store.ts";
import { type Listed, RequestList } from "./list/request-list.tsx";
import { RequestPane, RequestSkeleton } from "./request/request-pane.tsx";
import { InboxTabs } from "./toolbar/inbox-tabs.tsx";
import { InboxToolbar } from "./toolbar/inbox-toolbar.tsx";
import { type InboxPlace, useInboxPlace } from "./toolbar/use-inbox-place.ts";

const InboxCommands = lazyComponent(() => import("./list-chunk.ts").then((file) => file.InboxCommands), {
  patient: true,
});
const FilterPanel = lazyComponent(
  () => import("./toolbar/filter-panel.tsx").then((file) => file.FilterPanel),
  { loading: DialogLoading },
);
const ActiveFilters = lazyComponent(() => import("./list-chunk.ts").then((file) => file.ActiveFilters), {
  // The height of one line of filters.
  loading: () => <div className="h-[34px] shrink-0 max-md:h-[54px]" />,
  warm: true,
});
const ViewLine = lazyComponent(() => import("./list-chunk.ts").then((file) => file.ViewLine), {
  warm: true,
});
const ViewDialogs = lazyComponent(() => import("./views/view-dialogs.tsx").then((file) => file.ViewDialogs), {
  loading: DialogLoading,
});

const NoRequest = lazyComponent(() => import("./list/no-request.tsx").then((file) => file.NoRequest), {
  warm: true,
});

/** `first`: the request shown beside the list if the URL names none and the screen is wide. */
export function InboxScreen({ read, first }: { read: ReadAlready; first: string | null }) {
  const place = useInboxPlace();
  const client = useQueryClient();
  useRead(client, read);
  const me = useMe();
  const tab = place.tab ?? firstTab(me.may("requests:answer"));
  const views = useViews(place, tab);
  const [offered, setOffered] = useState(first);
  // The server only guesses the width of the screen.
  useEffect(() => {
    if (!isWide()) setOffered(null);
  }, []);
  const [listed, setListed] = useState<Listed | null>(null);
  const [selecting, setSelecting] = useState(false);
  const [filtering, setFiltering] = useState(false);
  const [dialog, setDialog] = useState<ViewDialog | null>(null);
  const filterButton = useRef<HTMLButtonElement>(null);
  const shown = place.selected ?? offered;
  const close = () => {
    setOffered(null);
    place.go({ id: null });
  };
  // A key decides what is shown beside the list: nothing that may have been searched away.
  const narrow = (filters: Partial<InboxFilters>, how: "go" | "replace") => {
    setOffered(null);
    place[how]({ id: null, filters });
  };
  const waiting = useWaiting();
  useTitle(waiting > 0 ? `Inbox (${waiting})` : "Inbox");
  // Reads the cache only; RequestList fetches the list.
  const list = useInfiniteQuery({ ...requestList(tab, place.filters), enabled: false });
  const tools = () => list.data?.pages.flatMap((page) => page.items.map((request) => request.tool)) ?? [];

  return (
    <div className="flex min-h-0 flex-1">
      {/* Present also where a request fills the phone's screen and the list is hidden. */}
      <h1 className="sr-only">Inbox</h1>
      <NextSaid />
      <section
        aria-label="Requests"
        className={cn(
          "flex w-full min-w-0 shrink-0 flex-col border-line bg-bg md:w-[300px] md:border-r xl:w-[372px]",
          place.selected && "max-md:hidden",
        )}
      >
        <header className="flex flex-col gap-2 border-line border-b px-4 pt-3 max-md:bg-panel max-md:pt-1.5 max-md:pr-1.5">
          <InboxToolbar
            place={place}
            tab={tab}
            views={views}
            selecting={selecting}
            filtering={filtering}
            filterButton={filterButton}
            onFilter={() => setFiltering(!filtering)}
            onSelecting={setSelecting}
            onDialog={setDialog}
          />
          <InboxTabs active={tab} place={place} />
        </header>
        <SearchField
          label="Search requests"
          value={place.filters.q}
          onChange={(q) => narrow({ q }, "replace")}
          className="mx-3 my-2.5 md:mx-4"
        />
        {(views.current || views.missing) && (
          <ViewLine views={views} place={place} onSaveAs={() => setDialog("save")} />
        )}
        {filterCount(place.filters) > 0 && <ActiveFilters place={place} />}
        <RequestList
          key={tab}
          tab={tab}
          shown={shown}
          selecting={selecting}
          onSelecting={setSelecting}
          onListed={setListed}
          onOffer={setOffered}
          onClose={close}
        />
      </section>
      <section
        id="request"
        aria-label="Request"
        className={cn("flex min-w-0 flex-1 flex-col bg-panel", !place.selected && "max-md:hidden")}
      >
        {shown ? (
          <RequestPane key={shown} id={shown} listed={listed} onBack={close} />
        ) : list.data === undefined ? (
          // The first request is about to open; a failed list shows its own error.
          list.isFetching && <RequestSkeleton />
        ) : (
          <div className="m-auto w-full">
            <NoRequest place={place} tab={tab} />
          </div>
        )}
      </section>
      <InboxCommands
        place={place}
        tab={tab}
        views={views}
        onFilter={() => setFiltering(true)}
        onSaveView={() => setDialog("save")}
        onSelecting={() => setSelecting(true)}
      />
      {filtering && (
        <FilterPanel
          filters={place.filters}
          tools={tools()}
          anchor={filterButton}
          onClose={() => setFiltering(false)}
          onApply={(filters) => narrow(filters, "go")}
        />
      )}
      {dialog && <ViewDialogs dialog={dialog} views={views} place={place} onClose={() => setDialog(null)} />}
    </div>
  );
}

/** Announces what came next, for readers who do not see it in the toast. Outside the list, which a phone hides. */
function NextSaid() {
  const next = useNext();
  return (
    <p role="status" className="sr-only">
      {next && <span key={next.turn}>{next.words}</span>}
    </p>
  );
}

/** The saved views of the inbox. */
function useViews(place: InboxPlace, tab: RequestTab): SavedViews {
  return useSavedViews({
    page: "inbox",
    id: place.view,
    query: viewQuery(tab, place.filters),
    open: (view) =>
      place.go({
        id: null,
        view: view.id,
        tab: REQUEST_TABS.find((each) => each === view.query.tab) ?? null,
        filters: readFilters((name) => view.query[name]),
      }),
    // Adds the current tab, which the URL may lack.
    name: (id) => place.replace(id === null ? { view: null } : { view: id, tab }),
  });
}
