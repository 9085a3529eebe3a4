"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowDown, CheckCheck, SearchX } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { type RequestTab, requestList } from "@/components/api/requests.ts";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { plural } from "@/lib/format/labels.ts";
import { RequestRow, RequestRowSkeleton } from "./request-row.tsx";
import { isWide, useInboxPlace } from "./use-inbox-place.ts";
import { useNewRows } from "./use-new-rows.ts";
import { useStableRows } from "./use-stable-rows.ts";

export function RequestList({
  tab,
  shown,
  onOffer,
}: {
  tab: RequestTab;
  /** The request beside the list. */
  shown: string | null;
  onOffer: (id: string) => void;
}) {
  const place = useInboxPlace();
  const list = useInfiniteQuery(requestList(tab, place.q));
  const [hovered, setHovered] = useState(false);
  const fresh = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data]);
  const rows = useStableRows(fresh, hovered, shown);
  const scroller = useRef<HTMLDivElement>(null);
  const news = useNewRows(rows, scroller, list.isFetchingNextPage);

  // On a wide screen the first request is open from the start: most people come to decide on it. The address stays
  // as it is: changing it would call off a navigation that someone began while the list was loading.
  const opened = useRef(shown !== null);
  const first = rows[0]?.request.id;
  useEffect(() => {
    if (opened.current || !first) return;
    opened.current = true;
    if (isWide()) onOffer(first);
  }, [first, onOffer]);

  const step = (by: number) => () => {
    const at = rows.findIndex((row) => row.request.id === shown);
    const next = rows[at === -1 ? 0 : at + by];
    if (!next) return;
    place.go({ id: next.request.id });
    document.getElementById(`row-${next.request.id}`)?.scrollIntoView({ block: "nearest" });
  };
  useShortcuts({
    j: step(1),
    k: step(-1),
    enter: (event) => {
      if (document.activeElement !== document.body) return;
      event.preventDefault();
      document.getElementById("request-title")?.focus();
    },
    escape: () => {
      const active = document.activeElement;
      if (active instanceof HTMLElement && active.matches("input, textarea, select")) return active.blur();
      if (!isWide()) return place.go({ id: null });
      document.getElementById(`row-${shown}`)?.focus();
    },
  });

  if (list.isPending) return <RequestRowSkeleton />;
  if (list.isError && !list.data) {
    return (
      <div className="p-4">
        <LoadFailure what="The requests" error={list.error} onRetry={() => void list.refetch()} />
      </div>
    );
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        className="scroll-quiet flex-1 max-md:bg-panel"
        onPointerEnter={(event) => setHovered(event.pointerType === "mouse")}
        onPointerLeave={() => setHovered(false)}
      >
        {rows.length === 0 ? (
          <Nothing tab={tab} q={place.q} onClear={() => place.go({ q: "" })} />
        ) : (
          <ul className="border-line border-t">
            {rows.map((row) => (
              <li key={row.request.id} className="border-line border-b">
                <RequestRow
                  row={row}
                  selected={row.request.id === shown}
                  href={place.address({ id: row.request.id })}
                  onOpen={() => place.go({ id: row.request.id })}
                />
              </li>
            ))}
          </ul>
        )}
        <LoadMore query={list} />
      </div>
      {news.count > 0 && (
        <Button
          size="sm"
          variant="primary"
          className="appear absolute bottom-4 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          onClick={news.show}
        >
          <ArrowDown aria-hidden strokeWidth={1.75} />
          {news.count} new
        </Button>
      )}
      <p role="status" className="sr-only">
        {news.count > 0 && plural(news.count, "new request")}
      </p>
    </div>
  );
}

const NOTHING: Record<RequestTab, [string, string]> = {
  mine: ["Nothing waits for you", "Requests that you claim, or that are assigned to you, come here."],
  unassigned: ["Nothing is unassigned", "Every open request has someone."],
  all: ["Nothing waits", "When a task asks a person something, it comes here."],
  done: ["Nothing decided yet", "Requests move here once they are answered or have ended."],
};

function Nothing({ tab, q, onClear }: { tab: RequestTab; q: string; onClear: () => void }) {
  if (q) {
    return (
      <Empty
        icon={SearchX}
        title={`Nothing matches “${q}”`}
        action={<Button onClick={onClear}>Clear search</Button>}
      />
    );
  }
  const [title, text] = NOTHING[tab];
  return (
    <Empty icon={CheckCheck} title={title}>
      {text}
    </Empty>
  );
}
