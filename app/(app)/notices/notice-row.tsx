"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  AlertTriangle,
  Check,
  CircleCheck,
  CircleX,
  Inbox,
  type LucideIcon,
  SearchX,
  ShieldAlert,
  UserRoundCheck,
} from "lucide-react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import type { Notice } from "@/lib/outbound/notices/notice-schema.ts";
import { listedWords } from "@/lib/outbound/notices/notice-words.ts";
import type { Tone } from "@/lib/text/labels.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { noticeKeys } from "@/lib/web/client/notices.ts";

const ICONS: Record<Notice["kind"], LucideIcon> = {
  assigned: UserRoundCheck,
  request: Inbox,
  attention: AlertTriangle,
  failed: CircleX,
  lost: SearchX,
  done: CircleCheck,
  account: ShieldAlert,
};

const COLOURS: Record<Tone, string> = {
  neutral: "text-muted",
  accent: "text-accent",
  wait: "text-wait",
  bad: "text-bad",
  good: "text-good",
};

/** A notification: event, subject and time. Opening it marks it as read. */
export function NoticeRow({ notice }: { notice: Notice }) {
  const client = useQueryClient();
  const read = useMutation({
    mutationFn: () => api.post(`/api/v1/notices/${notice.id}/read`),
    onSettled: () => client.invalidateQueries({ queryKey: noticeKeys.all }),
  });
  const { text, tone, about, path } = listedWords(notice);
  const unread = notice.readAt === null;
  // A thief of a session must not be able to hide what happened in it.
  const stays = unread && notice.account?.canBeRead === false;
  const Icon = ICONS[notice.kind];
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      <Icon aria-hidden className={cn("size-4 shrink-0", COLOURS[tone])} strokeWidth={1.75} />
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <Link
          href={path}
          onClick={() => unread && !stays && read.mutate()}
          className={cn(
            "w-fit max-w-full rounded-sm break-words underline-offset-4 hover:underline max-md:-my-2 max-md:py-2",
            unread && "font-medium",
          )}
        >
          {unread && <span className="sr-only">Unread: </span>}
          {text}
        </Link>
        {notice.assignment?.note && (
          <span className="break-words text-[13px]">
            “<PlainText text={notice.assignment.note} />”
          </span>
        )}
        <span className="flex flex-wrap gap-x-2 text-[13px] text-muted">
          {about && (
            <span className="min-w-0 break-words">
              <PlainText text={about} />
            </span>
          )}
          <TimeAgo at={notice.createdAt} className="shrink-0" />
        </span>
        {stays && (
          <span className="text-[13px] text-muted">
            Stays unread until you sign in again. Not you? Open it.
          </span>
        )}
      </span>
      {unread && !stays && (
        <Button
          size="icon"
          variant="ghost"
          aria-label={`Mark as read: ${text}${about && `, ${about}`}`}
          title="Mark as read"
          disabled={read.isPending}
          onClick={() => read.mutate()}
        >
          <Check aria-hidden strokeWidth={1.75} />
        </Button>
      )}
    </li>
  );
}
