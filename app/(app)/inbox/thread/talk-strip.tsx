"use client";

import { useMutation } from "@tanstack/react-query";
import { Clock3, MessageSquareText } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { useShowRequest } from "./thread-data.ts";

/** That the request waits for its requester, and that the reader has put it off; with the way back of each. */
export function TalkStrip({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const { needsInfo, snoozedUntil } = request;
  const path = `/api/v1/input-requests/${request.id}`;
  const show = useShowRequest(request.id);
  const onError = (error: Error) => void toast.error(errorSentence(error));
  const hasInfo = useMutation({
    mutationFn: () => api.post<InputRequestDetail>(`${path}/has-info`),
    onSuccess: show,
    onError,
  });
  const wake = useMutation({
    mutationFn: () => api.delete<InputRequestDetail>(`${path}/snooze`),
    onSuccess: show,
    onError,
  });
  const isAsked = needsInfo?.of.id === me.user.id;
  return (
    <div className="flex flex-col gap-2 text-[13px] text-muted">
      {needsInfo && (
        <section aria-label="Missing information" className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <Badge tone="wait" icon={MessageSquareText}>
            <PlainText text={isAsked ? "Waiting for you" : `Waiting for ${needsInfo.of.name}`} />
          </Badge>
          <span>
            Asked by <PlainText text={needsInfo.by.name} /> <TimeAgo at={needsInfo.at} />.{" "}
            {isAsked
              ? "Your next comment is the reply."
              : `You can still decide.${request.approval ? " Reminders pause for up to 7 days." : ""}`}
          </span>
          {!me.view && (me.may("requests:answer") || isAsked) && (
            <Button size="sm" disabled={hasInfo.isPending} onClick={() => hasInfo.mutate()}>
              {isAsked ? "Nothing to add" : "I have what I need"}
            </Button>
          )}
        </section>
      )}
      {snoozedUntil && (
        <section aria-label="Snoozed" className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <Badge icon={Clock3}>
            Snoozed until <Clock at={snoozedUntil} />
          </Badge>
          <span>Only for you.</span>
          {me.may("requests:answer") && (
            <Button size="sm" disabled={wake.isPending} onClick={() => wake.mutate()}>
              End snooze
            </Button>
          )}
        </section>
      )}
    </div>
  );
}
