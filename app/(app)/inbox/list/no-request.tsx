"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { CheckCheck, Inbox, SearchX } from "lucide-react";
import { useWaiting } from "@/components/shell/session/use-counts.ts";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { isNarrowed } from "@/lib/requests/words/filter-words.ts";
import { NO_FILTERS } from "@/lib/requests/words/inbox-filters.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { plural } from "@/lib/text/labels.ts";
import {
  type RequestTab,
  requestCounts,
  requestDetail,
  requestList,
  tabCount,
} from "@/lib/web/client/requests.ts";
import { useDecided } from "../answer/decision-store.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

const SHOWN = 8;

/**
 * Shown when no request is open: how to open one, or the decisions of this visit once everything is decided.
 */
export function NoRequest({ place, tab }: { place: InboxPlace; tab: RequestTab }) {
  const waiting = useWaiting();
  const { data: found } = useQuery(requestCounts(place.filters));
  const listed = useInfiniteQuery({ ...requestList(tab, place.filters), enabled: false });
  const isEmpty = listed.data?.pages.every(({ items }) => items.length === 0) ?? false;
  const left = tab === "done" || !found ? waiting : tabCount(tab, found);
  const decided = useDecided();
  if (decided.length > 0 && left === 0) return <AllDone decided={decided} place={place} waiting={waiting} />;
  if (isEmpty && isNarrowed(place.filters)) return <Empty icon={SearchX} title="No request matches" />;
  const offers = isEmpty ? 0 : left;
  return (
    <Empty icon={Inbox} title={offers > 0 ? "Select a request" : "Nothing to review"}>
      {offers > 0 && "Choose one from the list."}
    </Empty>
  );
}

/** The decisions of this visit, once everything in the list is decided, and the way to what it leaves out. */
function AllDone({ decided, place, waiting }: { decided: string[]; place: InboxPlace; waiting: number }) {
  const narrowed = isNarrowed(place.filters);
  return (
    <div className="flex flex-col items-center gap-5 px-6 py-14">
      <div className="flex flex-col items-center gap-3 text-center">
        <CheckCheck aria-hidden className="size-7 text-good" strokeWidth={1.5} />
        <h2 id="all-done" tabIndex={-1} className="font-medium outline-none">
          {waiting === 0 && !narrowed ? "Inbox zero" : "Nothing left in this list"}
        </h2>
        {waiting > 0 && (
          <Button onClick={() => place.go({ tab: "mine", view: null, filters: NO_FILTERS })}>
            {plural(waiting, "request")} waiting for you
          </Button>
        )}
      </div>
      <section aria-labelledby="decided-heading" className="flex w-full max-w-sm flex-col gap-1.5">
        <h3 id="decided-heading" className="font-medium text-[13px] text-muted">
          Decided this session
        </h3>
        <ul className="flex flex-col">
          {decided.slice(0, SHOWN).map((id) => (
            <Decided key={id} id={id} place={place} />
          ))}
        </ul>
        {decided.length > SHOWN && (
          <p className="text-[13px] text-muted">and {decided.length - SHOWN} more</p>
        )}
      </section>
    </div>
  );
}

/** One decision of this visit; nothing for an undone one. */
function Decided({ id, place }: { id: string; place: InboxPlace }) {
  const { data: request } = useQuery(requestDetail(id));
  if (!request?.answer) return null;
  return (
    <li className="border-line border-b py-2 text-[13px] last:border-b-0">
      <a
        href={place.address({ id })}
        className="flex gap-3 underline-offset-4 hover:underline"
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          place.go({ id });
        }}
      >
        <span className="min-w-0 flex-1 truncate">
          <bdi>{requestName(request)}</bdi>
        </span>
        <span className="max-w-1/2 shrink-0 truncate text-muted">{request.answer.words}</span>
      </a>
    </li>
  );
}
