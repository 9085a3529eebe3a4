"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowDown } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { isWide } from "@/components/ui/wide.ts";
import { type RequestTab, requestCounts } from "@/lib/api-client/requests.ts";
import { NO_FILTERS } from "@/lib/format/requests/inbox-filters.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { useReadOn } from "../answer/use-focus-title.ts";
import type { BulkAction } from "../bulk/bulk-actions.ts";
import { useBulkKeys } from "../bulk/use-bulk-keys.ts";
import { BulkBar, BulkDialog, NoRows } from "../inbox-parts.ts";
import { useInboxPlace } from "../toolbar/use-inbox-place.ts";
import { RequestRow } from "./request-row.tsx";
import { RowSkeletons } from "./row-skeletons.tsx";
import { useListKeys } from "./use-list-keys.ts";
import { useNewRows } from "./use-new-rows.ts";
import { useNextRequest } from "./use-next-request.ts";
import { useRequestRows } from "./use-request-rows.ts";
import { useRowWindow } from "./use-row-window.ts";
import { useSelection } from "./use-selection.ts";
import { VirtualRows } from "./virtual-rows.tsx";

export function RequestList({
  tab,
  shown,
  selecting,
  onSelecting,
  onOffer,
  onClose,
}: {
  tab: RequestTab;
  /** The request beside the list. */
  shown: string | null;
  /** Boxes stand in every row. */
  selecting: boolean;
  onSelecting: (on: boolean) => void;
  /** Shows one beside the list without changing the address. */
  onOffer: (id: string) => void;
  onClose: () => void;
}) {
  const me = useMe();
  const place = useInboxPlace();
  const { filters } = place;
  const { list, name, rows, appends, loading, hold } = useRequestRows(tab, filters, shown);
  const { data: counts } = useQuery(requestCounts(filters));
  const scroller = useRef<HTMLDivElement>(null);
  const view = useRowWindow(rows, scroller, shown);
  const selection = useSelection(name, rows);
  const readOn = useReadOn(shown);
  const news = useNewRows(
    {
      tab,
      filters,
      rows,
      loading,
      paging: list.isFetchingNextPage,
      more: list.hasNextPage && appends,
    },
    view.inView.map((row) => row.request.id),
  );
  const mayAnswer = me.may("requests:answer") && tab !== "done";
  const bulkKeys = useBulkKeys(mayAnswer && selection.selected.length > 0);
  const boxes = selecting || selection.selected.length > 0;

  // On a wide screen the first request is open from the start: most people come to decide on it. The address stays
  // as it is: changing it would call off a navigation that someone began while the list was loading.
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
    const index = rows.findIndex((row) => row.request.id === id);
    if (index !== -1) view.reveal(index);
  };
  const open = (id: string) => {
    place.go({ id });
    reveal(id);
  };
  /** On a phone Back leads to the list, however many were decided meanwhile. */
  const goOn = (id: string) => {
    if (isWide()) return open(id);
    place.replace({ id });
    reveal(id);
  };
  // Whoever comes by a link sees where in the list it stands; later the list stays where it was left.
  const revealed = useRef(shown === null);
  useEffect(() => {
    if (revealed.current || rows.length === 0) return;
    const index = rows.findIndex((row) => row.request.id === shown);
    revealed.current = index === -1 || view.reveal(index, "center");
  });
  useListKeys({ rows, shown, selection, mayAnswer, open, onBack: onClose, onSelecting, readOn });
  const said = useNextRequest({ rows, shown, listening: tab !== "done", open: goOn, readOn, onClose });
  const showNews = () => {
    const loaded = rows.find((row) => news.unseen.includes(row.request.id));
    if (loaded) reveal(loaded.request.id);
    else place.go({ filters: { order: "newest" } });
    news.forget();
  };

  if (list.isPending) return <RowSkeletons />;
  if (list.isError && !list.data) {
    return (
      <div className="p-4">
        <LoadFailure what="The requests" error={list.error} onRetry={() => void list.refetch()} />
      </div>
    );
  }
  const known = counts && tab !== "done" ? counts[tab] : null;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
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
            onClear={() => place.go({ filters: { ...NO_FILTERS, order: filters.order } })}
            onAll={() => place.go({ tab: "all" })}
          />
        ) : (
          <VirtualRows rows={rows} view={view} total={list.hasNextPage ? known : rows.length}>
            {(row) => (
              <RequestRow
                row={row}
                current={row.request.id === shown}
                href={place.address({ id: row.request.id })}
                selection={
                  mayAnswer && row.request.state === "open" && !row.gone
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
          </VirtualRows>
        )}
        <LoadMore query={list} />
      </div>
      {news.unseen.length > 0 && (
        <Button
          size="sm"
          variant="primary"
          className="appear absolute bottom-4 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          onClick={showNews}
        >
          <ArrowDown aria-hidden strokeWidth={1.75} />
          {news.unseen.length} new
        </Button>
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
      {/* Outside the bar, which goes when what was selected leaves the list: the results stay until they are closed. */}
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
      <p role="status" className="sr-only">
        {said}
      </p>
      <p role="status" className="sr-only">
        {news.said}
      </p>
    </div>
  );
}
