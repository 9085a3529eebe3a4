"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Clock3, RotateCw } from "lucide-react";
import { tellError, useChange } from "@/components/form/change.ts";
import { Clock, TimeUntil } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import type { Attempt, WebhookDelivery } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { webhookApi, webhookDeliveries, webhookKeys } from "@/lib/web/client/outbound.ts";

/** A webhook's deliveries with every attempt, newest first. */
export function DeliveryLog({ webhookId, host }: { webhookId: string; host: string }) {
  const log = useInfiniteQuery(webhookDeliveries(webhookId));
  const deliveries = log.data?.pages.flatMap((page) => page.items) ?? [];
  if (!log.data) return <Unread what="The log" query={log} className="h-24" />;
  if (deliveries.length === 0) return <p className="text-[13px] text-muted">Nothing was sent yet.</p>;
  return (
    <div className="rounded-lg border border-line">
      <ul aria-label={`What was sent to ${host}`} className="flex flex-col divide-y divide-line">
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      <LoadMore query={log} />
    </div>
  );
}

const STATES = {
  pending: { label: "On its way", tone: "wait", icon: Clock3 },
  delivered: { label: "Delivered", tone: "good", icon: CircleCheck },
  failed: { label: "Failed", tone: "bad", icon: CircleX },
} as const;

function DeliveryRow({ delivery }: { delivery: WebhookDelivery }) {
  const { id, type, state, createdAt, nextAttemptAt, attempts } = delivery;
  const resend = useChange([webhookKeys.all], () => webhookApi.resend(id), {
    done: "Sent once more, under the same id",
    onError: tellError,
  });
  const { label, tone, icon } = STATES[state];
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-3 py-2">
      <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={tone} icon={icon}>
            {label}
          </Badge>
          <span className="font-mono text-[13px]">{type}</span>
          <Clock at={createdAt} className="text-[13px] text-muted" />
        </span>
        {attempts.length > 0 && (
          <ol aria-label="Attempts" className="flex flex-col text-[13px] text-muted tabular-nums">
            {attempts.map((attempt) => (
              <li key={attempt.at}>
                <Clock at={attempt.at} /> · {attemptWords(attempt)} · {took(attempt.durationMs)}
              </li>
            ))}
          </ol>
        )}
        {nextAttemptAt && attempts.length > 0 && (
          <span className="text-[13px] text-muted">
            Next attempt: <TimeUntil at={nextAttemptAt} over="now" />
          </span>
        )}
        <span className="break-all font-mono text-muted text-xs">{id}</span>
      </span>
      {state !== "pending" && (
        <Button
          size="sm"
          aria-label={`Send ${type} again`}
          disabled={resend.isPending}
          onClick={() => resend.mutate()}
        >
          <RotateCw aria-hidden strokeWidth={1.75} />
          Send again
        </Button>
      )}
    </li>
  );
}

const ERRORS: Record<string, string> = {
  timeout: "timed out",
  unreachable: "could not be reached, or is not allowed here",
  // Attempts of before.
  address_not_allowed: "could not be reached, or is not allowed here",
};

/** Returns the duration; below a tenth of a second, `at once`. */
function took(ms: number): string {
  return ms < 100 ? "at once" : formatDuration(ms);
}

function attemptWords({ status, error }: Attempt): string {
  return status === null ? (ERRORS[error ?? ""] ?? "failed") : `answered ${status}`;
}
