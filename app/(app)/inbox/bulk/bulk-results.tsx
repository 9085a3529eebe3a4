"use client";

import { Check, CheckCheck, CircleAlert, CircleSlash, Send, Undo2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { Button } from "@/components/ui/button.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { plural } from "@/lib/text/labels.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { type BulkOutcome, byAttention, outcomeWords, summaryOf } from "./bulk-outcome.ts";
import type { useBulkAnswer } from "./use-bulk-answer.ts";

/** The result of each request, shown until closed. Claims no more than the server has reported. */
export function BulkResults({
  requests,
  bulk,
  results,
  receiver,
  onClose,
}: {
  requests: InputRequestSummary[];
  bulk: Pick<ReturnType<typeof useBulkAnswer>, "undo" | "heldUntil">;
  /** As far as the answers have come by now. */
  results: BulkOutcome[];
  receiver: string;
  onClose: () => void;
}) {
  const held = useNow() < bulk.heldUntil;
  const recorded = results.filter((each) => each.status === "recorded");
  const summary = useRef<HTMLParagraphElement>(null);
  // The pressed button has unmounted, so the focus moves to the summary.
  useEffect(() => summary.current?.focus(), []);
  return (
    <>
      <p ref={summary} tabIndex={-1} role="status" className="font-medium outline-none">
        {summaryOf(results, receiver)}
        {recorded.length > 0 && held && (
          <span className="font-normal text-muted">
            {" "}
            · sending in <TimeUntil at={new Date(bulk.heldUntil).toISOString()} over="a moment" />
          </span>
        )}
      </p>
      {bulk.undo.error && (
        <p role="alert" className="text-[13px] text-bad">
          {errorSentence(bulk.undo.error)}
        </p>
      )}
      <ul
        aria-label="Results"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, also with the keyboard
        tabIndex={0}
        className="scroll-quiet max-h-[45dvh] rounded-lg border border-line"
      >
        {byAttention(results).map((result) => (
          <Result
            key={result.id}
            result={result}
            request={requests.find((request) => request.id === result.id)}
            onOpen={onClose}
          />
        ))}
      </ul>
      <DialogActions>
        {recorded.length > 0 && held && (
          <Button
            disabled={bulk.undo.isPending}
            onClick={() => bulk.undo.mutate(recorded.map((each) => each.id))}
          >
            <Undo2 aria-hidden strokeWidth={1.75} />
            {bulk.undo.isPending ? "Undoing…" : `Undo ${plural(recorded.length, "answer")}`}
          </Button>
        )}
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </>
  );
}

const LOOKS = {
  recorded: { icon: Check, tone: "text-muted" },
  sending: { icon: Send, tone: "text-muted" },
  accepted: { icon: CheckCheck, tone: "text-good" },
  failed: { icon: CircleAlert, tone: "text-bad" },
  voted: { icon: Check, tone: "text-good" },
  undone: { icon: Undo2, tone: "text-muted" },
  kept: { icon: Check, tone: "text-muted" },
  refused: { icon: CircleAlert, tone: "text-bad" },
} as const;

function Result({
  result,
  request,
  onOpen,
}: {
  result: BulkOutcome;
  request: InputRequestSummary | undefined;
  onOpen: () => void;
}) {
  const { words, beaten } = outcomeWords(result);
  const look = LOOKS[result.status];
  const Icon = beaten ? CircleSlash : look.icon;
  const at = result.status === "refused" ? result.at : undefined;
  return (
    <li className="flex items-start gap-2.5 border-line border-b px-3 py-2 text-[13px] last:border-b-0">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${look.tone}`} strokeWidth={1.75} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">
          <bdi>{request ? requestName(request) : "A request"}</bdi>
        </span>
        <span className="text-muted">
          {words}
          {beaten && (
            <>
              {at && (
                <>
                  , <TimeAgo at={at} />
                </>
              )}
              .
            </>
          )}
        </span>
      </span>
      {(result.status === "refused" || result.status === "failed") && (
        <a
          href={`/inbox/${result.id}`}
          className="shrink-0 text-accent underline-offset-4 hover:underline max-md:py-2.5"
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            window.history.pushState(null, "", `/inbox/${result.id}${window.location.search}`);
            onOpen();
          }}
        >
          Look at it
        </a>
      )}
    </li>
  );
}
