"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useState } from "react";
import { type RequestTab, requestList } from "@/components/api/requests.ts";
import { useTitle } from "@/components/shell/use-title.ts";
import { UserMenu } from "@/components/shell/user-menu.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Empty } from "@/components/ui/empty.tsx";
import { InboxSearch } from "./inbox-search.tsx";
import { InboxTabs, useTabCounts } from "./inbox-tabs.tsx";
import { RequestList } from "./request-list.tsx";
import { RequestPane } from "./request-pane.tsx";
import { useInboxPlace } from "./use-inbox-place.ts";

export function InboxScreen() {
  const place = useInboxPlace();
  const counts = useTabCounts();
  const mine = useInfiniteQuery(requestList("mine"));
  // Chosen once: a tab must not change under someone because they claimed a request.
  const [firstTab, setFirstTab] = useState<RequestTab | null>(null);
  if (firstTab === null && !mine.isPending) setFirstTab(mine.data?.pages[0]?.items.length ? "mine" : "all");
  const tab = place.tab ?? firstTab;
  const [offered, setOffered] = useState<string | null>(null);
  const shown = place.selected ?? offered;
  const close = () => {
    setOffered(null);
    place.go({ id: null });
  };
  useTitle(counts.all ? `Inbox (${counts.all})` : "Inbox");

  return (
    <div className="flex min-h-0 flex-1">
      {/* Also where a request fills the phone's screen and the list is away. */}
      <h1 className="sr-only">Inbox</h1>
      <section
        aria-label="Requests"
        className={cn(
          "flex w-full min-w-0 shrink-0 flex-col border-line border-r bg-bg md:w-[300px] xl:w-[372px]",
          place.selected && "max-md:hidden",
        )}
      >
        <header className="flex flex-col gap-2.5 border-line border-b px-4 pt-3.5 max-md:bg-panel">
          <div className="flex h-7 items-center justify-between">
            <p aria-hidden className="font-semibold text-[17px] tracking-tight">
              Inbox
            </p>
            <span className="md:hidden">
              <UserMenu />
            </span>
          </div>
          <InboxTabs active={tab} counts={counts} />
        </header>
        <InboxSearch value={place.q} onChange={(q) => place.replace({ q })} />
        {tab && <RequestList key={`${tab}:${place.q}`} tab={tab} shown={shown} onOffer={setOffered} />}
      </section>
      <section
        aria-label="Request"
        className={cn("flex min-w-0 flex-1 flex-col bg-panel", !place.selected && "max-md:hidden")}
      >
        {shown ? (
          <RequestPane key={shown} id={shown} onBack={close} />
        ) : (
          <div className="m-auto">
            <Empty icon={Inbox} title="No request is open here">
              Choose one from the list, or press J.
            </Empty>
          </div>
        )}
      </section>
    </div>
  );
}
