"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { InboxFilters } from "@/lib/requests/words/inbox-filters.ts";
import { plural } from "@/lib/text/labels.ts";
import { newestRequests, type RequestTab } from "@/lib/web/client/requests.ts";
import { newsIn, type StableRow } from "./row-changes.ts";

const idOf = ({ id }: { id: string }) => id;

interface Listed {
  tab: RequestTab;
  filters: InboxFilters;
  rows: StableRow[];
  /** The rows are not yet those of the list: loading, or still those of the previous search. */
  loading: boolean;
  /** The next page is loading; its rows are not new. */
  paging: boolean;
  /** The list has rows that are not loaded. */
  more: boolean;
}

/**
 * Counts unseen requests that arrived since the list was opened. While more rows exist than are loaded, the
 * latest few are fetched separately, because new requests may come at the unloaded end.
 */
export function useNewRows({ tab, filters, rows, loading, paging, more }: Listed, inView: string[]) {
  const newest = useQuery({ ...newestRequests(tab, filters), enabled: more && tab !== "done" });
  const known = useRef<Set<string> | null>(null);
  const since = useRef("");
  const wasPaging = useRef(false);
  const [unseen, setUnseen] = useState<string[]>([]);
  // Counts all new requests, so that each announcement differs from the previous one.
  const [total, setTotal] = useState(0);
  const list = JSON.stringify([tab, filters]);
  const opened = useRef(list);

  useEffect(() => {
    if (opened.current === list) return;
    opened.current = list;
    known.current = null;
    since.current = "";
    setUnseen([]);
    setTotal(0);
  }, [list]);

  useEffect(() => {
    if (loading) return;
    const loaded = rows.filter((row) => !row.gone).map((row) => row.request);
    const latest = newest.data?.items ?? [];
    const before = { ids: known.current, latestAt: since.current };
    const news = newsIn(before, { loaded, latest, paging: paging || wasPaging.current });
    wasPaging.current = paging;
    known.current = new Set([...(known.current ?? []), ...loaded.map(idOf), ...latest.map(idOf)]);
    if (newest.data) since.current = latest[0]?.createdAt ?? since.current;
    if (news.length === 0) return;
    setUnseen((all) => [...all, ...news]);
    setTotal((count) => count + news.length);
  }, [rows, loading, paging, newest.data]);

  const waiting = unseen.filter((id) => !inView.includes(id));
  // A request that was on the screen is no longer new.
  if (waiting.length < unseen.length) setUnseen(waiting);
  return {
    unseen: waiting,
    forget: () => setUnseen([]),
    /** The announcement, made also when the new row is in view. */
    said: total > 0 ? `${plural(total, "new request")} since you opened this list` : "",
  };
}
