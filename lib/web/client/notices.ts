import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { CalendarFeed } from "@/lib/outbound/calendar-feed/feed-schema.ts";
import type { Notice, NoticeCounts, NoticeSettings } from "@/lib/outbound/notices/notice-schema.ts";
import type { Devices } from "@/lib/outbound/push/push-schema.ts";
import type { OwnSlack } from "@/lib/outbound/slack/slack-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** `all`: refetched at the stream's `notice` hints. */
export const noticeKeys = { all: ["notices"] as const, settings: ["me", "notifications"] as const };

/** The signed-in person's notices, newest first. */
export function noticeList(unreadOnly: boolean) {
  return infiniteQueryOptions({
    queryKey: [...noticeKeys.all, "list", unreadOnly] as const,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<Notice>>(
        `/api/v1/notices${query({ unread: unreadOnly ? "true" : null, cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
  });
}

export function noticeCounts() {
  return queryOptions({
    queryKey: [...noticeKeys.all, "counts"] as const,
    queryFn: ({ signal }) => api.get<NoticeCounts>("/api/v1/notices/counts", signal),
  });
}

/** The devices that show the member's push notifications. Refetched at `notice` hints, as what became of a test. */
export function devices() {
  return queryOptions({
    queryKey: [...noticeKeys.all, "devices"] as const,
    queryFn: ({ signal }) => api.get<Devices>("/api/v1/me/devices", signal),
  });
}

export function calendarFeed() {
  return queryOptions({
    queryKey: ["me", "calendar-feed"] as const,
    queryFn: ({ signal }) => api.get<CalendarFeed>("/api/v1/me/calendar-feed", signal),
    refetchInterval: false,
  });
}

export const OWN_SLACK_PATH = "/api/v1/me/slack";

/** The member's own account at Slack. Refetched at `notice` hints, as what became of a test. */
export function ownSlack() {
  return queryOptions({
    queryKey: [...noticeKeys.all, "slack"] as const,
    queryFn: ({ signal }) => api.get<OwnSlack>(OWN_SLACK_PATH, signal),
  });
}

export function noticeSettings() {
  return queryOptions({
    queryKey: noticeKeys.settings,
    queryFn: ({ signal }) => api.get<NoticeSettings>("/api/v1/me/notifications", signal),
    refetchInterval: false,
  });
}
