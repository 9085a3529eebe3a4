"use client";

import { MoreHorizontal } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import type { Fold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { Decision } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { receiverOf } from "@/lib/requests/words/own-questions.ts";
import { voteEffect } from "@/lib/requests/words/vote-words.ts";
import { namedInQuotes } from "@/lib/text/foreign/quoted.ts";
import type { AnswerDialog } from "../answer-dialogs.tsx";
import type { ClaimStep } from "../assignment/use-claim.ts";
import type { Decided } from "../decided.ts";
import type { DecisionMenuProps } from "./decision-menu-items.tsx";
import { declinePlace, needsRoom } from "./decision-offer.ts";
import { MainButtons } from "./main-buttons.tsx";

const DecisionMenuItems = lazyComponent(
  () => import("../../list-chunk.ts").then((file) => file.DecisionMenuItems),
  { warm: true },
);

/** Always in view: the main choice, the second one, and a menu. */
export function DecisionBar({
  request,
  question,
  decision,
  acceptReason,
  disabled,
  unseen,
  unopened,
  told,
  pending,
  armed,
  opened,
  affirmative,
  other,
  onAccept,
  onSubmitForm,
  onRead,
  onDialog,
  onClaim,
}: {
  request: InputRequestDetail;
  /** The question on the screen. */
  question: InputRequestDetail;
  decision: Decision;
  /** Why the request cannot be accepted here now; with `disabled`, why no decision is possible. */
  acceptReason: ReactNode;
  disabled: boolean;
  /** What has to be done before: until then only a plain no is possible. */
  unseen: string | null;
  /** What is folded away, which a press opens before it decides. */
  unopened: Fold[];
  /** What the last press did instead of deciding. */
  told: string | null;
  /** The decision being recorded. */
  pending: Decided | null;
  /** A press may decide. */
  armed: boolean;
  /** The site of a URL request was opened. */
  opened: boolean;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
  onRead: () => void;
  onDialog: (dialog: AnswerDialog) => void;
  onClaim: (step: ClaimStep) => void;
}) {
  const me = useMe();
  const bar = useRef<HTMLDivElement>(null);
  const keyboard = useKeyboardInset();
  useBarHeight(bar);
  if (!me.may("requests:answer")) {
    return <p className="border-line border-t px-4 py-3.5 text-[13px] text-muted md:px-8">{acceptReason}</p>;
  }
  const destroys = question.warnings.includes("destructive");
  const why = acceptReason ?? unseen;
  const sent = request.approval ? voteEffect(request.approval, receiverOf(request)) : inWhoseName(request);
  const describedBy = why
    ? "why-not"
    : [told && "why-not", destroys && "irreversible"].filter(Boolean).join(" ") || undefined;
  // Many buttons, or long ones, need the whole line.
  const beside = !needsRoom(decision);
  const declining = declinePlace(question, decision);
  return (
    <div
      ref={bar}
      id="decide"
      data-armed={armed || undefined}
      className="shrink-0 border-line border-t bg-panel px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))] md:px-8"
      style={keyboard ? { paddingBottom: keyboard + 8 } : undefined}
    >
      {/* Always mounted: a live region announces only content added later. */}
      <div id="why-not" role="status" className="text-[13px] text-muted">
        {(why || told) && <div className="pb-2.5">{why ?? <PlainText text={told ?? ""} />}</div>}
      </div>
      {!why && (
        <p className="flex flex-wrap gap-x-4 text-muted text-xs">
          {destroys && (
            <span id="irreversible" className="pb-2 font-medium text-[13px] text-bad">
              Irreversible. Hold the button for a second, or press it and type a word.
            </span>
          )}
          <span className={cn("min-w-0 break-words pb-2", beside && "xl:hidden")}>{sent}</span>
        </p>
      )}
      <div className={cn("flex items-end gap-2 md:items-center", !beside && "max-md:flex-wrap")}>
        <MainButtons
          question={question}
          decision={decision}
          opened={opened}
          disabled={acceptReason !== null}
          unseen={unseen !== null}
          unopened={unopened}
          pending={pending}
          describedBy={describedBy}
          affirmative={affirmative}
          other={other}
          onAccept={onAccept}
          onSubmitForm={onSubmitForm}
          onRead={onRead}
        />
        {declining === "bar" && (
          <Button
            className="max-md:min-h-11 max-md:flex-1"
            aria-disabled={disabled || pending !== null || undefined}
            aria-describedby={why ? "why-not" : undefined}
            aria-keyshortcuts="D"
            onClick={() => !disabled && pending === null && onDialog("decline")}
          >
            Decline… <Kbd>D</Kbd>
          </Button>
        )}
        <DecisionMenu
          request={request}
          declines={declining === "menu"}
          disabled={disabled || pending !== null}
          acceptOff={acceptReason !== null || unseen !== null}
          onDialog={onDialog}
          onClaim={onClaim}
        />
        {beside && (
          <p className="min-w-0 flex-1 text-balance pl-4 text-right text-muted text-xs max-xl:hidden">
            {sent}
          </p>
        )}
      </div>
    </div>
  );
}

function inWhoseName(request: InputRequestDetail): string {
  const owner = request.connectionOwner;
  if (request.origin === "intray" && !request.gate)
    return `The answer goes to ${actorWords(request.requestedBy)}`;
  if (request.gate)
    return `Approving calls ${namedInQuotes(request.tool)} on ${request.server.name} · ${owner ? `${owner.name}’s` : "shared"} connection`;
  return `Will be sent to ${request.server.name} · ${owner ? `${owner.name}’s` : "shared"} connection`;
}

/** Other actions: claim, assign, and the answer that few servers need. */
function DecisionMenu(props: DecisionMenuProps) {
  return (
    <Menu
      side="top"
      items={DecisionMenuItems}
      trigger={
        <Button aria-label="More" className="px-2.5 max-md:ml-auto">
          <MoreHorizontal aria-hidden strokeWidth={1.75} />
          <span className="max-md:hidden">More</span>
        </Button>
      }
    >
      <DecisionMenuItems {...props} />
    </Menu>
  );
}

/** Sets `--decision-bar` to the height of the bar, so that toasts appear above it. */
function useBarHeight(bar: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() =>
      style.setProperty("--decision-bar", `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty("--decision-bar");
    };
  }, [bar]);
}

/**
 * Height of the page's end that the on-screen keyboard covers, in px; 0 where the browser resizes the page.
 */
function useKeyboardInset(): number {
  const [inset, setInset] = useState(0);
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const measure = () => {
      // Zooming shrinks the visual viewport too, without covering the page.
      const covered = viewport.scale === 1 ? window.innerHeight - viewport.height - viewport.offsetTop : 0;
      setInset(Math.max(0, Math.round(covered)));
    };
    viewport.addEventListener("resize", measure);
    viewport.addEventListener("scroll", measure);
    return () => {
      viewport.removeEventListener("resize", measure);
      viewport.removeEventListener("scroll", measure);
    };
  }, []);
  return inset;
}
