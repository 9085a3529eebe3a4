"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo, TimeOfDay } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";

/** Who has claimed the request, since when, and what the others can do. */
export function ClaimLine({
  request,
  onTakeOver,
}: {
  request: InputRequestDetail;
  /** Null: the reader may not. */
  onTakeOver: (() => void) | null;
}) {
  const claim = request.claimedBy;
  if (!claim) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        Claimed by <span className="font-medium text-ink">{claim.name}</span> <TimeAgo at={claim.at} /> · Ask{" "}
        {claim.name}, or wait: the claim ends at <TimeOfDay at={claim.until} /> if unused.
      </span>
      {onTakeOver && (
        <Button size="sm" onClick={onTakeOver}>
          Take over
        </Button>
      )}
    </span>
  );
}

/** Minimum interval between renewals of a claim. */
const RENEW_EVERY_MS = 60_000;
const ACTIVITIES = ["keydown", "pointermove", "wheel", "touchstart"] as const;

/**
 * Renews the user's own claim on activity, refetches the request when any claim should have ended, and shows
 * a toast when the user's own claim has ended. `given`: the user releases the claim.
 */
export function ClaimAlive({
  request,
  mine,
  given,
}: {
  request: InputRequestDetail;
  mine: boolean;
  given: boolean;
}) {
  const client = useQueryClient();
  const { id } = request;
  const until = request.claimedBy?.until ?? null;
  const renewedAt = useRef(Date.now());

  useEffect(() => {
    if (!mine) return;
    const note = () => {
      const now = Date.now();
      if (now - renewedAt.current < RENEW_EVERY_MS || (until && now > Date.parse(until))) return;
      renewedAt.current = now;
      // If the renewal fails, the claim expires, and the refetch at its end shows that.
      api.post(`/api/v1/input-requests/${id}/claim`).catch(() => undefined);
    };
    for (const activity of ACTIVITIES)
      window.addEventListener(activity, note, { capture: true, passive: true });
    return () => {
      for (const activity of ACTIVITIES) window.removeEventListener(activity, note, { capture: true });
    };
  }, [id, mine, until]);

  useEffect(() => {
    if (!until) return;
    const readAgain = () => void client.invalidateQueries({ queryKey: requestKeys.detail(id) });
    const timer = setTimeout(readAgain, Math.max(0, Date.parse(until) - Date.now()) + 1_000);
    return () => clearTimeout(timer);
  }, [client, id, until]);

  const wasMine = useRef(mine);
  useEffect(() => {
    if (wasMine.current && !mine && !given && request.state === "open") toast(endedWords(request));
    wasMine.current = mine;
  }, [mine, given, request]);
  return null;
}

function endedWords(request: InputRequestDetail): string {
  const name = requestName(request);
  return request.claimedBy
    ? `${request.claimedBy.name} took ${name} over: your claim has ended`
    : `Your claim on ${name} has ended: others may answer it now`;
}

/** What the person who handed the request over wrote beside it. */
export function AssignmentNote({ request: { assignment } }: { request: InputRequestDetail }) {
  if (!assignment?.note) return null;
  return (
    <Notice
      tone="accent"
      title={
        <>
          Note from {actorWords(assignment.by)}, <TimeAgo at={assignment.at} />
        </>
      }
    >
      <p className="whitespace-pre-line break-words">
        <PlainText text={assignment.note} />
      </p>
    </Notice>
  );
}
