"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { focusRow, rowMark, useListKeys } from "@/components/list/use-list-keys.ts";
import { type RowWindow, useRowWindow } from "@/components/list/use-row-window.tsx";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import { isWide } from "@/components/ui/wide.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { filterCount, type InboxGrouping, withoutFilters } from "@/lib/requests/words/inbox-filters.ts";
import { groupName } from "@/lib/requests/words/inbox-rows.ts";
import { EMPTY_TABS, type RequestTab, requestCounts, tabCount } from "@/lib/web/client/requests.ts";
import type { BulkAction } from "../bulk/bulk-actions.ts";
import { useBulkKeys } from "../bulk/use-bulk-keys.ts";
import { LateFailure } from "../late-failure.tsx";
import { useFocusTitle } from "../request/use-focus-title.ts";
import { idInAddress, useInboxPlace } from "../toolbar/use-inbox-place.ts";
import { RequestRow, RowSkeletons } from "./request-row.tsx";
import { readAhead, type StableRow, waits } from "./row-changes.ts";
import { useNewRows } from "./use-new-rows.ts";
import { useNextRequest } from "./use-next-request.ts";
import { useRequestRows, useRequestSelection } from "./use-request-rows.ts";

const NewRows = lazyComponent(() => import("@/components/list/new-rows.tsx").then((file) => file.NewRows));
const LoadMore = lazyComponent(() => import("@/components/ui/load-more.tsx").then((file) => file.LoadMore));

/** The height of a row without badges, in px; each row is measured once rendered. */
const ROW_PX = { comfortable: 67, compact: 53 };

const NoRows = lazyComponent(() => import("../list-chunk.ts").then((file) => file.NoRows), { warm: true });
const NextRequests = lazyComponent(() => import("../list-chunk.ts").then((file) => file.NextRequests), {
  patient: true,
});
const NotSearched = lazyComponent(() => import("../list-chunk.ts").then((file) => file.NotSearched));
const BulkBar = lazyComponent(() => import("../bulk/bulk-bar.tsx").then((file) => file.BulkBar));
const BulkDialog = lazyComponent(() => import("../bulk/bulk-dialog.tsx").then((file) => file.BulkDialog), {
  loading: DialogLoading,
});

/** The rows of the list as shown on the screen, `total` of which exist (null if unknown). */
export interface Listed {
  rows: StableRow[];
  total: number | null;
  open: (id: string) => void;
}

export function RequestList({
  tab,
  shown,
  selecting,
  onSelecting,
  onListed,
  onOffer,
  onClose,
}: {
  tab: RequestTab;
  /** The id of the request beside the list. */
  shown: string | null;
  /** Every row shows a checkbox. */
  selecting: boolean;
  onSelecting: (on: boolean) => void;
  /** Tells the rows and how to open one, for the steps above the request. */
  onListed: (listed: Listed) => void;
  /** Shows a request beside the list without changing the URL. */
  onOffer: (id: string) => void;
  onClose: () => void;
}) {
  const me = useMe();
  const place = useInboxPlace();
  const { filters } = place;
  const { list, name, rows, loading, hold } = useRequestRows(tab, filters, shown);
  const { data: counts } = useQuery(requestCounts(filters));
  const ids = useMemo(() => rows.map((row) => row.request.id), [rows]);
  const view = useRowWindow<HTMLUListElement>({ ids, rowPx: ROW_PX[me.preferences.density], shown });
  const selection = useRequestSelection(name, rows);
  const readOn = useFocusTitle(shown);
  const news = useNewRows(
    {
      tab,
      filters,
      rows,
      loading,
      paging: list.isFetchingNextPage,
      more: list.hasNextPage,
    },
    view.inView,
  );
  const mayAnswer = me.may("requests:answer") && tab !== "done";
  const bulkKeys = useBulkKeys(mayAnswer && selection.selected.length > 0);
  const boxes = selecting || selection.selected.length > 0;

  // On a wide screen the first request opens at once: most people come to decide on it. The URL stays
  // unchanged, because a change would cancel a navigation begun while the list was loading.
  const opened = useRef(shown !== null);
  const first = rows[0]?.request.id;
  useEffect(() => {
    if (opened.current || !first) return;
    opened.current = true;
    if (isWide()) onOffer(first);
  }, [first, onOffer]);

  const [bulk, setBulk] = useState<{ action: BulkAction; requests: InputRequestSummary[] } | null>(null);
  const endSelection = () => {
    selection.clear();
    onSelecting(false);
  };
  const reveal = (id: string) => {
    const index = ids.indexOf(id);
    if (index !== -1) view.reveal(index);
  };
  const open = (id: string) => {
    place.go({ id });
    reveal(id);
  };
  /** On a phone Back returns to the list, however many requests were decided meanwhile. */
  const goOn = (id: string) => {
    if (isWide()) return open(id);
    place.replace({ id });
    reveal(id);
  };
  // Scrolls once to the request that the URL names; later the list keeps its scroll position.
  const revealed = useRef(shown === null);
  useEffect(() => {
    if (revealed.current || rows.length === 0) return;
    const index = shown === null ? -1 : ids.indexOf(shown);
    revealed.current = index === -1 || view.reveal(index, "center");
  });
  const selectable = (id: string) => rows.some((row) => row.request.id === id && waits(row));
  useListKeys({
    ids,
    selection: mayAnswer ? { ...selection, clear: endSelection } : null,
    selectable,
    current: () => idInAddress() ?? shown,
    onStep: open,
    focusFollows: "from-row",
    onEscape: () => {
      if (!isWide()) onClose();
      else if (shown) focusRow(shown);
    },
  });
  useShortcuts({
    enter: (event) => {
      if (document.activeElement !== document.body || !shown) return;
      event.preventDefault();
      readOn(shown);
    },
  });
  const isNarrowed = filters.q !== "" || filterCount(filters) > 0;
  useNextRequest({
    rows,
    shown,
    listening: tab !== "done",
    emptyWords: isNarrowed ? "Nothing left in this list" : EMPTY_TABS[tab],
    open: goOn,
    readOn,
    onClose,
  });
  const showNews = () => {
    const loaded = rows.find((row) => news.unseen.includes(row.request.id));
    if (loaded) reveal(loaded.request.id);
    else place.go({ filters: { order: "newest" } });
    news.forget();
  };

  const firstNews = rows.findIndex((row) => news.unseen.includes(row.request.id));
  const newsAt = firstNews !== -1 && firstNews < ids.indexOf(view.inView[0] ?? "") ? "top" : "end";

  const known = counts && tab !== "done" ? tabCount(tab, counts) : null;
  const total = list.hasNextPage ? known : rows.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `goOn` and `readOn` are made anew with each render
  useEffect(() => {
    onListed({
      rows,
      total,
      open: (id) => {
        goOn(id);
        readOn(id);
      },
    });
  }, [rows, total, onListed]);

  if (list.isPending) return <RowSkeletons />;
  if (list.isError && !list.data) {
    return (
      <div className="p-4">
        <LateFailure what="The requests" error={list.error} onRetry={() => void list.refetch()} />
      </div>
    );
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {list.data.pages[0]?.contentNotSearched && <NotSearched />}
      <div
        data-scroller
        data-list
        className={cn(
          "scroll-quiet flex-1 max-md:overscroll-auto max-md:bg-panel",
          list.isPlaceholderData && "opacity-60",
        )}
        {...hold}
      >
        {rows.length === 0 && !list.isPlaceholderData ? (
          <NoRows
            tab={tab}
            filters={filters}
            elsewhere={counts?.all ?? 0}
            onClear={() => place.go({ filters: withoutFilters(filters) })}
            onAll={() => place.go({ tab: "all" })}
          />
        ) : (
          <Rows rows={rows} view={view} total={total} grouping={filters.group}>
            {(row) => (
              <RequestRow
                row={row}
                current={row.request.id === shown}
                href={place.address({ id: row.request.id })}
                selection={
                  mayAnswer && waits(row)
                    ? {
                        checked: selection.has(row.request.id),
                        selecting: boxes,
                        onToggle: (range) =>
                          range ? selection.extend(row.request.id) : selection.toggle(row.request.id),
                      }
                    : null
                }
                onOpen={(byKeyboard) => {
                  place.go({ id: row.request.id });
                  if (byKeyboard) readOn(row.request.id);
                }}
              />
            )}
          </Rows>
        )}
        {view.virtualizer}
        {list.hasNextPage && <LoadMore query={list} />}
      </div>
      {news.unseen.length > 0 && (
        <NewRows count={news.unseen.length} at={newsAt} onClick={showNews} className="bottom-4" />
      )}
      {mayAnswer && boxes && (
        <BulkBar
          keys={bulkKeys}
          selection={selection}
          rows={rows}
          more={list.hasNextPage}
          onMore={() => void list.fetchNextPage()}
          onBegin={(action) => setBulk({ action, requests: selection.selected })}
          onDone={endSelection}
        />
      )}
      {/* Outside the bar, which unmounts when the selected requests leave the list: the results stay
          until closed. */}
      {bulk && (
        <BulkDialog
          {...bulk}
          onDismiss={() => setBulk(null)}
          onDone={() => {
            setBulk(null);
            endSelection();
          }}
        />
      )}
      <NextRequests ids={readAhead(rows, shown)} />
      <p role="status" className="sr-only">
        {news.said}
      </p>
    </div>
  );
}

/**
 * A plain list of links. Items carry `aria-posinset` and `aria-setsize`, because only a part is rendered. Not
 * a listbox, which hides links from screen readers. Not a feed, which has keys of its own beside J and K.
 */
function Rows({
  rows,
  view,
  total,
  grouping,
  children,
}: {
  rows: StableRow[];
  view: RowWindow<HTMLUListElement>;
  /** The length of the whole list; null if unknown. */
  total: number | null;
  grouping: InboxGrouping | "";
  children: (row: StableRow) => ReactNode;
}) {
  const { ref, style } = view.listProps;
  const now = useNow(60_000);
  const nameOf = (row: StableRow | undefined) => row && grouping && groupName(row.request, grouping, now);
  return (
    <ul ref={ref} className="border-line border-t" style={{ ...style, paddingBottom: view.after }}>
      {view.rows.map(({ index, gap }) => {
        const row = rows[index];
        if (!row) return null;
        // The heading of a group belongs to its first row, so that keys and positions count rows alone.
        const heading = nameOf(row) !== nameOf(rows[index - 1]) && nameOf(row);
        return (
          <li
            key={row.request.id}
            {...view.rowProps(index)}
            {...rowMark(row.request.id)}
            aria-setsize={total === null ? -1 : Math.max(total, rows.length)}
            aria-posinset={index + 1}
            className="border-line border-b"
            style={{ marginTop: gap }}
          >
            {heading && (
              <h2 className="truncate border-line border-b bg-sunken px-4 py-1 font-medium text-muted text-xs">
                <bdi>{heading}</bdi>
              </h2>
            )}
            {children(row)}
          </li>
        );
      })}
    </ul>
  );
}
