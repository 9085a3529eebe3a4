"use client";

import { useQueries } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "@/components/ui/link.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { IDS_AT_ONCE } from "@/lib/requests/limits.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { deliveryStage } from "@/lib/requests/words/delivery.ts";
import { theseRequests } from "@/lib/web/client/requests.ts";
import { type BulkOutcome, followed, isOver, recordedIn, summaryOf } from "./bulk-outcome.ts";

/** How long the end of the deliveries is shown; a failure stays until it is closed. */
const LINE_MS = 6_000;

/** Returns the results with how far each recorded answer has come, as the server reports it. */
export function useFollowed(results: BulkOutcome[]): BulkOutcome[] {
  const ids = recordedIn(results);
  const pages = Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, at) =>
    ids.slice(at * IDS_AT_ONCE, (at + 1) * IDS_AT_ONCE),
  );
  const found = useQueries({ queries: pages.map(theseRequests) });
  const requests = new Map<string, InputRequestSummary>();
  for (const { data } of found) for (const request of data?.items ?? []) requests.set(request.id, request);
  return followed(results, (id) => {
    const request = requests.get(id);
    return request ? deliveryStage(request) : null;
  });
}

/** Follows the answers in one toast after their dialog was closed, until each has arrived or never will. */
export function followBulk(results: BulkOutcome[], receiver: string) {
  const id = `bulk:${results[0]?.id}`;
  const duration = Number.POSITIVE_INFINITY;
  toast(<OnTheWay id={id} results={results} receiver={receiver} />, { id, duration, dismissible: true });
}

function OnTheWay({ id, results, receiver }: { id: string; results: BulkOutcome[]; receiver: string }) {
  const now = useFollowed(results);
  const words = summaryOf(now, receiver);
  const ended = isOver(now);
  const failed = now.find(({ status }) => status === "failed")?.id;
  useEffect(() => {
    if (!ended) return;
    if (!failed) return void toast(words, { id, duration: LINE_MS, dismissible: true });
    toast.error(
      <span>
        {words}{" "}
        <Link href={`/inbox/${failed}`} className="underline underline-offset-4">
          See what happened
        </Link>
      </span>,
      { id, duration: Number.POSITIVE_INFINITY, closeButton: true, dismissible: true },
    );
  }, [ended, failed, id, words]);
  return <p>{words}</p>;
}
