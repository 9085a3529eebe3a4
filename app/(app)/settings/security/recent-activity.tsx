"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleDot, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { securityEvents } from "@/lib/api-client/account.ts";
import { securityEventWords } from "@/lib/format/security-events.ts";
import { Section } from "../section.tsx";

/** Listed at first; the rest comes with a press. */
const LISTED = 8;

/** What happened to the user's account lately. */
export function RecentActivity() {
  const events = useQuery(securityEvents());
  const [all, setAll] = useState(false);
  const items = events.data?.items ?? [];
  if (events.isError && !events.data)
    return <LoadFailure what="Recent activity" error={events.error} onRetry={() => void events.refetch()} />;
  return (
    <Section
      title="Recent activity"
      description="Sign-ins, also failed ones, and changes of how you sign in. Only you see this."
    >
      {!events.data && <div aria-hidden className="skeleton h-32" />}
      {events.data?.items.length === 0 && <p className="text-[13px] text-muted">Nothing yet.</p>}
      <ul aria-label="Recent activity" className="flex flex-col divide-y divide-line">
        {(all ? items : items.slice(0, LISTED)).map((event) => {
          const { what, about, bad } = securityEventWords(event);
          const Icon = bad ? TriangleAlert : CircleDot;
          return (
            <li key={event.id} className="flex items-start gap-3 py-2 first:pt-0">
              <Icon
                aria-hidden
                className={cn("mt-0.5 size-4 shrink-0", bad ? "text-wait" : "text-faint")}
                strokeWidth={1.75}
              />
              <span className="flex min-w-0 flex-1 flex-col">
                <span>{what}</span>
                {about && (
                  <span className="break-words text-[13px] text-muted">
                    <PlainText text={about} />
                  </span>
                )}
              </span>
              <TimeAgo at={event.lastAt} className="shrink-0 text-[13px] text-muted" />
            </li>
          );
        })}
      </ul>
      {!all && items.length > LISTED && (
        <div>
          <Button onClick={() => setAll(true)}>Show all {items.length}</Button>
        </div>
      )}
    </Section>
  );
}
