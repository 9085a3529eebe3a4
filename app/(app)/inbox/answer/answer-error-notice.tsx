"use client";

import { useEffect, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { differsWords } from "@/lib/requests/words/agreed.ts";
import { uncapitalise } from "@/lib/text/labels.ts";
import { formatAgo } from "@/lib/text/time.ts";
import type { AnswerError } from "./answer-error.ts";
import { addDecided, forgetRefused, goOnFrom } from "./decision-store.ts";

/**
 * Shows that a decision was not recorded: the earlier decision and its author, that nothing was sent, and the
 * next step.
 */
export function AnswerErrorNotice({
  error,
  request,
  sent,
  onTakeTheirs,
  keptForm,
}: {
  error: AnswerError;
  request: InputRequestDetail;
  /** The content that was refused. */
  sent: Record<string, unknown>;
  /** Fills the form with what others agreed to. */
  onTakeTheirs: () => void;
  /** A filled-in form stays on the screen, to be read. */
  keptForm: boolean;
}) {
  // Fixed on mount: a changing age would be announced again and again.
  const [now] = useState(Date.now);
  const { title, detail } = withTheirs(error, request, now);
  // The toast says the same, where another request was on the screen.
  useEffect(() => toast.dismiss(request.id), [request.id]);
  const over = request.state !== "open";
  const theirs = error.code === "content_differs" ? differsWords(request, sent) : null;
  return (
    <div
      className={cn(
        "shrink-0 px-4 md:px-8",
        // Without the bar below, the notice is the end of the page.
        over ? "pb-[calc(0.75rem+env(safe-area-inset-bottom))]" : "pb-3",
      )}
    >
      <Notice
        live
        tone={over ? "wait" : "bad"}
        title={title}
        action={
          over ? (
            <Button size="sm" onClick={() => goOn(request.id)}>
              Go to the next request
            </Button>
          ) : (
            theirs &&
            keptForm && (
              <Button size="sm" onClick={onTakeTheirs}>
                Fill in the answer that they agreed to
              </Button>
            )
          )
        }
      >
        {theirs && (
          <p>
            <PlainText text={`What others agreed to: ${theirs}`} />
          </p>
        )}
        <p>
          {detail}
          {over && keptForm && " Your answers are still above. You can read or copy them."}
        </p>
      </Notice>
    </div>
  );
}

/** Adds the other person's decision once known: `Cleo approved this 2 min ago.` */
function withTheirs(error: AnswerError, { answer }: InputRequestDetail, now: number): AnswerError {
  if (error.code !== "already_answered" || !answer) return error;
  // “Answered “Keep the file: No”” would not read with an object behind it.
  const [word, ...said] = answer.words.split(" “");
  const what = said.length > 0 ? `: “${said.join(" “")}` : "";
  return {
    ...error,
    title: `${actorWords(answer.by, { begins: true })} ${uncapitalise(word!)} this ${formatAgo(answer.at, now)}${what}.`,
  };
}

/** As after a decision: the list knows the next request. */
function goOn(inputRequestId: string) {
  addDecided([inputRequestId]);
  forgetRefused(inputRequestId);
  goOnFrom(inputRequestId);
}
