"use client";

import { MoreHorizontal } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import type { Decision } from "@/lib/input-requests/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { AnswerDialog } from "./answer-dialogs.tsx";
import type { ClaimStep } from "./assignment/use-claim.ts";
import type { DecisionMenuProps } from "./decision-menu-items.tsx";
import { MainButtons, needsRoom } from "./main-buttons.tsx";
import type { Decided } from "./use-decide.ts";

const DecisionMenuItems = lazyComponent(
  () => import("../first-touch.ts").then((file) => file.DecisionMenuItems),
  { warm: true },
);

/** Always in view: the affirmative button, the others, Decline…, Close (which sends nothing), and a menu. */
export function DecisionBar({
  request,
  decision,
  reason,
  disabled,
  cautious,
  pending,
  opened,
  affirmative,
  other,
  onAccept,
  onSubmitForm,
  onDialog,
  onClaim,
  onClose,
}: {
  request: InputRequestDetail;
  decision: Decision;
  /** Why the request cannot be accepted here now; with `disabled`, why no decision is possible. */
  reason: ReactNode;
  disabled: boolean;
  /** The key A only focuses the button, because the action may destroy something. */
  cautious: boolean;
  /** The decision being recorded. */
  pending: Decided | null;
  /** The site of a URL request was opened. */
  opened: boolean;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
  onDialog: (dialog: AnswerDialog) => void;
  onClaim: (step: ClaimStep) => void;
  onClose: () => void;
}) {
  const me = useMe();
  const bar = useRef<HTMLDivElement>(null);
  const keyboard = useKeyboardInset();
  useBarHeight(bar);
  if (!me.may("requests:answer")) {
    return <p className="border-line border-t px-4 py-3.5 text-[13px] text-muted md:px-8">{reason}</p>;
  }
  const noAccept = reason !== null;
  const sent = inWhoseName(request, me.organization.name);
  // Many buttons, or long ones, need the whole line.
  const beside = !needsRoom(decision);
  return (
    <div
      ref={bar}
      className="shrink-0 border-line border-t bg-panel px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))] md:px-8"
      style={keyboard ? { paddingBottom: keyboard + 8 } : undefined}
    >
      {reason ? (
        <div id="why-not" role="status" className="pb-2.5 text-[13px] text-muted">
          {reason}
        </div>
      ) : (
        <p className="flex flex-wrap gap-x-4 text-muted text-xs">
          <span className={cn("truncate pb-2", beside && "xl:hidden")}>{sent}</span>
          {cautious && (
            <span id="cautious" className="pb-2 max-md:hidden">
              This may delete or change things for good: A leads to the button, Enter decides.
            </span>
          )}
        </p>
      )}
      <div className="flex items-end gap-2 md:items-center">
        <MainButtons
          decision={decision}
          isUrl={request.mode === "url"}
          opened={opened}
          disabled={noAccept}
          pending={pending}
          describedBy={noAccept ? "why-not" : cautious ? "cautious" : undefined}
          affirmative={affirmative}
          other={other}
          onAccept={onAccept}
          onSubmitForm={onSubmitForm}
        />
        <Button
          variant={decision.kind === "none" ? "outline" : "ghost"}
          className={decision.kind === "none" ? "max-md:flex-1" : "max-md:hidden"}
          disabled={disabled || pending !== null}
          aria-keyshortcuts="D"
          onClick={() => onDialog("decline")}
        >
          Decline… <Kbd>D</Kbd>
        </Button>
        <Button variant="ghost" className="max-md:hidden" onClick={onClose} title="Sends nothing">
          Close
        </Button>
        <DecisionMenu
          request={request}
          disabled={disabled || pending !== null}
          onDialog={onDialog}
          onClaim={onClaim}
          onClose={onClose}
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

function inWhoseName(request: InputRequestDetail, organization: string): string {
  const owner = request.connectionOwner;
  return owner
    ? `Sent to ${request.server.name} as ${owner.name}’s connection`
    : `Sent to ${request.server.name} through ${organization}’s shared connection`;
}

/** Other actions: claim, assign, and the answer that few servers need. */
function DecisionMenu(props: DecisionMenuProps) {
  return (
    <Menu
      side="top"
      items={DecisionMenuItems}
      trigger={
        <Button size="icon" aria-label="More" className="max-md:ml-auto">
          <MoreHorizontal aria-hidden strokeWidth={1.75} />
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
