import type { Page } from "@/lib/base/page.ts";
import type { CalendarFeed } from "@/lib/outbound/calendar-feed/feed-schema.ts";
import type { Notice, NoticeCounts, NoticeSettings } from "@/lib/outbound/notices/notice-schema.ts";
import type { Devices } from "@/lib/outbound/push/push-schema.ts";
import type { OwnSlack } from "@/lib/outbound/slack/slack-schema.ts";
import type { OwnTeams } from "@/lib/outbound/teams/teams-schema.ts";
import { query } from "@/lib/web/client/base/client.ts";
import { reading, readingPages } from "@/lib/web/client/base/reading.ts";

/** `all`: refetched at the stream's `notice` hints. */
export const noticeKeys = { all: ["notices"] as const, settings: ["me", "notifications"] as const };

/** The signed-in person's notices, newest first. */
export function noticeList(unreadOnly: boolean) {
  return readingPages<Page<Notice>>(
    [...noticeKeys.all, "list", unreadOnly],
    (cursor) => `/api/v1/notices${query({ unread: unreadOnly ? "true" : null, cursor })}`,
  );
}

export function noticeCounts() {
  return reading<NoticeCounts>([...noticeKeys.all, "counts"], "/api/v1/notices/counts");
}

/** The devices that show the member's push notifications. Refetched at `notice` hints, as what became of a test. */
export function devices() {
  return reading<Devices>([...noticeKeys.all, "devices"], "/api/v1/me/devices");
}

export function calendarFeed() {
  return reading<CalendarFeed>(["me", "calendar-feed"], "/api/v1/me/calendar-feed", {
    refetchInterval: false,
  });
}

export const OWN_SLACK_PATH = "/api/v1/me/slack";

/** The member's own account at Slack. Refetched at `notice` hints, as what became of a test. */
export function ownSlack() {
  return reading<OwnSlack>([...noticeKeys.all, "slack"], OWN_SLACK_PATH);
}

export const OWN_TEAMS_PATH = "/api/v1/me/teams";

/** The member's own account at Teams. Refetched at `notice` hints, as what became of a test. */
export function ownTeams() {
  return reading<OwnTeams>([...noticeKeys.all, "teams"], OWN_TEAMS_PATH);
}

export function noticeSettings() {
  return reading<NoticeSettings>(noticeKeys.settings, "/api/v1/me/notifications", {
    refetchInterval: false,
  });
}
