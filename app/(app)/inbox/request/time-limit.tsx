"use client";

import { useTimeLeft } from "@/components/time/time-left.tsx";
import { timeLeft, timeLimitReason } from "@/lib/format/requests/time-left.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { TimeLimitLine } from "./request-parts.ts";

/** Says that an answer can't wait, where it can't. */
export function TimeLimit({ request }: { request: InputRequestDetail }) {
  const reason = timeLimitReason(request);
  if (request.state !== "open" || request.expiresAt === null || reason === null) return null;
  return <Limit until={request.expiresAt} reason={reason} />;
}

type Reason = NonNullable<ReturnType<typeof timeLimitReason>>;

function Limit({ until, reason }: { until: string; reason: Reason }) {
  const { short } = useTimeLeft(until);
  return short || reason.habit ? <TimeLimitLine until={until} reason={reason} /> : null;
}

/** Whether it says so now. */
export function isPressing(request: InputRequestDetail): boolean {
  const reason = timeLimitReason(request);
  if (request.state !== "open" || request.expiresAt === null || reason === null) return false;
  return reason.habit || timeLeft(request.expiresAt, Date.now()).short;
}
