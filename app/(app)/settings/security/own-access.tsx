"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { ReadList } from "@/components/people/read-list.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { ownReads } from "@/lib/api-client/tasks/reads.ts";
import { Section } from "../section.tsx";

/** Who looked at what is the user's, in the organization that they work in. */
export function OwnAccess() {
  const { organization } = useMe();
  const reads = useInfiniteQuery(ownReads());
  if (reads.isError && !reads.data)
    return (
      <LoadFailure
        what="Who looked at what is yours"
        error={reads.error}
        onRetry={() => void reads.refetch()}
      />
    );
  const items = reads.data?.pages.flatMap((page) => page.items);
  return (
    <Section
      title="Who looked at what is yours"
      description={`In ${organization.name}: protocol messages and documents of tasks that you started, or whose requests you answered or have; exports; and lists seen as you. Looking at a request or a list is not recorded.`}
    >
      {!items && <div aria-hidden className="skeleton h-24" />}
      {items?.length === 0 && <p className="text-[13px] text-muted">Nobody yet.</p>}
      {items && items.length > 0 && (
        <ReadList reads={items} whose={null} label="Who looked at what is yours" />
      )}
      <LoadMore query={reads} />
    </Section>
  );
}
