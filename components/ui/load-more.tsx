"use client";

import { useEffect, useRef } from "react";
import { Button } from "@/components/ui/button.tsx";

/** Loads the next page when the end comes near, and by a button for those who do not scroll. */
export function LoadMore({
  query,
}: {
  query: {
    hasNextPage: boolean;
    isFetching: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
}) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    const element = end.current;
    // A refetch discards a page loaded meanwhile, so the next page is loaded after the refetch.
    if (!element || !hasNextPage || isFetching) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchNextPage(), {
      rootMargin: "400px",
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasNextPage, isFetching, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className="flex justify-center p-3">
      <Button size="sm" variant="ghost" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchingNextPage ? "Loading…" : "Load more"}
      </Button>
    </div>
  );
}
