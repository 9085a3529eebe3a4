"use client";

import { type QueryClient, QueryObserver } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { usePaletteCommands } from "@/components/shell/palette/palette-commands.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { reachIn } from "@/lib/requests/deliveries/reach.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { awaitsAgent, type DeliveryStage, deliveryStage } from "@/lib/requests/words/delivery.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { requestDetail } from "@/lib/web/client/requests.ts";
import { type Decided, draftOf, namedDecision, votedWords } from "./decided.ts";
import { addUndoable, newestUndoable, takeUndoable, useNext } from "./decision-store.ts";
import { deliveryToast } from "./delivery-toast.ts";
import { useUndo } from "./use-undo.ts";

/** How long a toast about a delivery stays; a failure stays until it is closed. */
const LINE_MS = 6_000;

/**
 * Shows the delivery of an answer in one toast: held, sending, accepted by the server; or failed, with a link
 * to the request. A vote that is no answer yet has a toast too. Continues after the pane has moved to the next
 * request, until the answer has arrived or never will.
 */
export function followDelivery(
  client: QueryClient,
  request: InputRequestDetail,
  { question, decided, holdMs }: { question: InputRequestDetail; decided: Decided; holdMs: number },
) {
  const name = requestName(question);
  if (!request.answer) {
    toast(votedWords(request.approval, name), { id: request.id, duration: LINE_MS, dismissible: true });
    return;
  }
  if (request.delivery?.state === "held") addUndoable(request.id, draftOf(question, decided));
  const said = { what: namedDecision(request.answer.words, name), holdMs };
  let last: string | null = null;
  const observer = new QueryObserver(client, requestDetail(request.id));
  const look = (now: InputRequestDetail) => {
    const stage = deliveryStage(now);
    const seen = `${stage} ${now.task.fetchedAt}`;
    if (seen === last) return;
    last = seen;
    if (stage !== "held") takeUndoable(request.id);
    tell(now, stage, said);
    // An agent may ask days later: then the toast has gone, and the request says it.
    if (stage === "accepted" && awaitsAgent(now)) setTimeout(stop, LINE_MS);
    else if (stage === "accepted" || stage === "failed" || stage === "undone") stop();
  };
  const stop = observer.subscribe(({ data }) => data && look(data));
  look(request);
}

function tell(request: InputRequestDetail, stage: DeliveryStage, said: { what: string; holdMs: number }) {
  const { id, delivery } = request;
  const shown = deliveryToast(request, stage, said.what, delivery && reachIn(delivery));
  switch (shown?.kind) {
    case "held":
      toast(
        <HeldToast
          inputRequestId={id}
          what={said.what}
          after={shown.after}
          coming={shown.coming}
          holdMs={said.holdMs}
          until={delivery?.deliverAfter ?? new Date().toISOString()}
        />,
        { id, duration: Number.POSITIVE_INFINITY, dismissible: false },
      );
      return;
    case "line":
      toast(<Line inputRequestId={id}>{shown.words}</Line>, { id, duration: LINE_MS, dismissible: true });
      return;
    case "failed":
      toast.error(
        <span>
          {shown.words}{" "}
          <Link href={`/inbox/${id}`} className="underline underline-offset-4">
            See what happened
          </Link>
        </span>,
        { id, duration: Number.POSITIVE_INFINITY, closeButton: true, dismissible: true },
      );
  }
}

/** A line about a decision, and what came next. */
function Line({ inputRequestId, children }: { inputRequestId: string; children: ReactNode }) {
  return (
    <p className="min-w-0">
      {children}
      <NextLine inputRequestId={inputRequestId} />
    </p>
  );
}

/** What came after this decision, while it is on the screen. Hidden from screen readers, which the inbox tells. */
function NextLine({ inputRequestId }: { inputRequestId: string }) {
  const next = useNext();
  if (next?.after !== inputRequestId) return null;
  return (
    <span aria-hidden className="block truncate text-bg/80">
      <bdi>{next.words}</bdi>
    </span>
  );
}

/**
 * The decision, how long it can be undone, and the Undo button. Announced once; the seconds are visual only.
 */
function HeldToast({
  inputRequestId,
  what,
  after,
  coming,
  holdMs,
  until,
}: {
  inputRequestId: string;
  /** For example `Approved INV-100`. */
  what: string;
  /** What happens then, as a sentence that goes on with a time. */
  after: string;
  /** The same in short, before the time. */
  coming: string;
  holdMs: number;
  /** ISO time. */
  until: string;
}) {
  const undo = useUndo();
  const { singleKeys } = useMe().preferences;
  usePaletteCommands([
    {
      id: "request:undo",
      label: `Undo: ${what}`,
      group: "This request",
      keys: "Z",
      run: () => void undo(inputRequestId),
    },
  ]);
  useShortcuts({
    z: (event) => {
      if (newestUndoable() !== inputRequestId) return;
      // One press undoes one decision: handlers of earlier toasts must not undo theirs, which is the newest
      // now.
      event.preventDefault();
      void undo(inputRequestId);
    },
  });
  return (
    <div className="flex w-full items-center gap-3">
      <Ring holdMs={holdMs} />
      <p className="min-w-0 flex-1">
        <span className="sr-only">
          {what}. {after} in {Math.round(holdMs / 1_000)} seconds
          {singleKeys && "; press Z to take it back"}.
        </span>
        <span aria-hidden>
          {what} ·{" "}
          <span className="whitespace-nowrap">
            {coming} <TimeUntil at={until} over="a moment" />
          </span>
        </span>
        <NextLine inputRequestId={inputRequestId} />
      </p>
      <Button
        size="sm"
        aria-keyshortcuts="Z"
        className="border-bg/30 bg-transparent text-bg hover:bg-bg/15"
        onClick={() => void undo(inputRequestId)}
      >
        Undo{singleKeys && <span className="max-md:hidden"> (Z)</span>}
      </Button>
    </div>
  );
}

/**
 * A ring that runs out with the hold. Hidden for people who prefer reduced motion: the text shows the
 * seconds.
 */
function Ring({ holdMs }: { holdMs: number }) {
  return (
    <svg aria-hidden viewBox="0 0 20 20" className="-rotate-90 size-5 shrink-0 motion-reduce:hidden">
      <circle cx="10" cy="10" r="8" fill="none" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <circle
        cx="10"
        cy="10"
        r="8"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        pathLength="100"
        strokeDasharray="100"
        style={{ animation: `run-out ${holdMs}ms linear forwards` }}
      />
    </svg>
  );
}
