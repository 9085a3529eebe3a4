"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { type Refusal, withTheirs } from "./answer-error.ts";

/** A decision that was not taken: who was first, with what; that nothing was sent; and where to go on. */
export function Refused({
  refusal,
  request,
  keptForm,
}: {
  refusal: Refusal;
  request: InputRequestDetail;
  /** A filled-in form stays on the screen, to be read. */
  keptForm: boolean;
}) {
  // As it was then: words that count on would be announced again and again.
  const [now] = useState(Date.now);
  const { title, detail } = withTheirs(refusal, request, now);
  const over = request.state !== "open";
  return (
    <div
      className={cn(
        "shrink-0 px-4 md:px-8",
        // Without the bar below it, it is the end of the page.
        over ? "pb-[calc(0.75rem+env(safe-area-inset-bottom))]" : "pb-3",
      )}
    >
      <Notice
        live
        tone={over ? "wait" : "bad"}
        title={title}
        action={
          over && (
            <Button size="sm" onClick={() => goOn(request.id)}>
              Go to the next request
            </Button>
          )
        }
      >
        <p>
          {detail}
          {over && keptForm && " What you had filled in stays above, to read or copy."}
        </p>
      </Notice>
    </div>
  );
}

/** As after a decision: the list knows which one is next. */
function goOn(id: string) {
  window.dispatchEvent(new CustomEvent("intray:decided", { detail: { id, next: true } }));
}
