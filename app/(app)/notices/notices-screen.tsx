"use client";

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { BellRing, CheckCheck, Settings } from "lucide-react";
import { useState } from "react";
import { Page } from "@/components/shell/pages/page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { noticeCounts, noticeKeys, noticeList } from "@/lib/web/client/notices.ts";
import { NoticeRow } from "./notice-row.tsx";

type Tab = "unread" | "all";

/** The user's notifications. One about a request disappears once the request is decided. */
export function NoticesScreen() {
  const [tab, setTab] = useState<Tab>("unread");
  const counts = useQuery(noticeCounts());
  const client = useQueryClient();
  const unread = counts.data?.unread ?? 0;
  const readAll = useMutation({
    mutationFn: () => api.post("/api/v1/notices/read-all"),
    onSuccess: () => client.invalidateQueries({ queryKey: noticeKeys.all }),
    onError: (error) => toast.error(errorSentence(error)),
  });
  return (
    <Page
      title="Notifications"
      narrow
      actions={
        <>
          <Button disabled={unread === 0 || readAll.isPending} onClick={() => readAll.mutate()}>
            <CheckCheck aria-hidden strokeWidth={1.75} />
            Mark all read
          </Button>
          <Button asChild className="max-md:hidden">
            <Link href="/settings/channels">
              <Settings aria-hidden strokeWidth={1.75} />
              Notification settings
            </Link>
          </Button>
        </>
      }
    >
      <Tabs
        value={tab}
        onChange={(value) => setTab(value as Tab)}
        tabs={[
          { value: "unread", label: "Unread", count: unread },
          { value: "all", label: "All" },
        ]}
      >
        <TabPanel value={tab}>
          <NoticeList key={tab} unreadOnly={tab === "unread"} />
        </TabPanel>
      </Tabs>
    </Page>
  );
}

function NoticeList({ unreadOnly }: { unreadOnly: boolean }) {
  const list = useInfiniteQuery(noticeList(unreadOnly));
  const notices = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (!list.data) return <Unread what="The notifications" query={list} className="h-40" />;
  if (notices.length === 0)
    return (
      <div className="rounded-lg border border-line bg-panel">
        <Empty icon={BellRing} title={unreadOnly ? "Nothing unread" : "No notifications yet"}>
          You get a notification when a request waits for you, and when a task of yours ends or needs a
          person.
        </Empty>
      </div>
    );
  return (
    <div>
      <ul aria-label="Notifications" className="divide-y divide-line rounded-lg border border-line bg-panel">
        {notices.map((notice) => (
          <NoticeRow key={notice.id} notice={notice} />
        ))}
      </ul>
      <LoadMore query={list} />
    </div>
  );
}
