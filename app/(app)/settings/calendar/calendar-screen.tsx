"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { calendar } from "@/lib/web/client/settings/working-time.ts";
import { CalendarForm } from "./calendar-form.tsx";

/** When the organization works. */
export function CalendarScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const current = useQuery({ ...calendar(), enabled: mayChange });
  if (!mayChange) return <Notice title="Only admins see and change the calendar.">Ask one of them.</Notice>;
  if (current.isError && !current.data)
    return <LoadFailure what="The calendar" error={current.error} onRetry={() => void current.refetch()} />;
  if (!current.data) return <div aria-hidden className="skeleton h-64" />;
  return <CalendarForm current={current.data} />;
}
