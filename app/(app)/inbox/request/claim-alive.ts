"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { toast } from "@/components/ui/toast/toast.ts";
import { api } from "@/lib/api-client/base/client.ts";
import { requestKeys } from "@/lib/api-client/requests.ts";
import { requestName } from "@/lib/format/requests/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** The server is told of activity this often at most. */
const TELL_EVERY_MS = 60_000;
const DOINGS = ["keydown", "pointermove", "wheel", "touchstart"] as const;

/**
 * Keeps one's own claim alive while one types or moves here, looks again when a claim (anyone's) should have ended,
 * and says when one's own has. `given`: it ends because the person gives it back.
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
  const toldAt = useRef(Date.now());

  useEffect(() => {
    if (!mine) return;
    const note = () => {
      const now = Date.now();
      if (now - toldAt.current < TELL_EVERY_MS || (until && now > Date.parse(until))) return;
      toldAt.current = now;
      // Refused or unreachable: the claim runs out by itself, and the look at its end says so.
      api.post(`/api/v1/input-requests/${id}/claim`).catch(() => undefined);
    };
    for (const doing of DOINGS) window.addEventListener(doing, note, { capture: true, passive: true });
    return () => {
      for (const doing of DOINGS) window.removeEventListener(doing, note, { capture: true });
    };
  }, [id, mine, until]);

  useEffect(() => {
    if (!until) return;
    const look = () => void client.invalidateQueries({ queryKey: requestKeys.detail(id) });
    const timer = setTimeout(look, Math.max(0, Date.parse(until) - Date.now()) + 1_000);
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
