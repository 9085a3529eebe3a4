"use client";

import { useQuery } from "@tanstack/react-query";
import { CalendarPlus } from "lucide-react";
import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { api } from "@/lib/web/client/base/client.ts";
import { calendarFeed } from "@/lib/web/client/notices.ts";
import { Section } from "../section.tsx";

const PATH = "/api/v1/me/calendar-feed";
const make = () => api.post<{ url: string }>(PATH);

/** The member's private address for calendar programs. */
export function CalendarAddress() {
  const current = useQuery(calendarFeed());
  const { queryKey } = calendarFeed();
  const [asked, setAsked] = useState<"replace" | "remove" | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const first = useChange([queryKey], make, { onDone: ({ url }) => setMade(url), onError: tellError });
  if (!current.data) return <Unread what="The calendar" query={current} className="h-32" />;
  const { feed } = current.data;
  return (
    <Section
      title="Calendar"
      description="A private address for your calendar program: when requests that wait for you are due or end. An event names the tool and the server, and links to the request. Anybody who has the address can read it."
    >
      {feed ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <span className="min-w-52 flex-1 text-[13px] text-muted">
            Made <TimeAgo at={feed.createdAt} /> ·{" "}
            {feed.readAt ? (
              <>
                last read <TimeAgo at={feed.readAt} />
              </>
            ) : (
              "not read yet"
            )}
          </span>
          <span className="flex gap-2">
            <Button size="sm" onClick={() => setAsked("replace")}>
              New address…
            </Button>
            <Button size="sm" onClick={() => setAsked("remove")}>
              Remove address…
            </Button>
          </span>
        </div>
      ) : (
        <div>
          <Button disabled={first.isPending} onClick={() => first.mutate()}>
            <CalendarPlus aria-hidden strokeWidth={1.75} />
            Make an address
          </Button>
        </div>
      )}
      {asked === "replace" && (
        <ConfirmChange
          keys={[queryKey]}
          call={make}
          title="Make a new address?"
          description="The current address stops working. Calendar programs that have it show no more requests."
          confirm="Make a new address"
          destructive
          onClose={() => setAsked(null)}
          onDone={({ url }) => {
            setAsked(null);
            setMade(url);
          }}
        />
      )}
      {asked === "remove" && (
        <ConfirmChange
          keys={[queryKey]}
          call={() => api.delete(PATH)}
          done="Address removed"
          title="Remove the address?"
          description="Calendar programs that have it show no more requests."
          confirm="Remove"
          destructive
          onClose={() => setAsked(null)}
        />
      )}
      {made !== null && (
        <Dialog
          open
          onOpenChange={() => setMade(null)}
          title="Your calendar address"
          description="Copy it now: it is shown only once. In your calendar program, add a calendar by its address (URL)."
        >
          <NewSecret label="Address" value={made} onClose={() => setMade(null)} />
        </Dialog>
      )}
    </Section>
  );
}
