"use client";

import { Ban, Hand, MoreHorizontal, ThumbsDown, X } from "lucide-react";
import type { RefObject } from "react";
import { useMe } from "@/components/shell/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/menu.tsx";
import type { Decision } from "@/lib/format/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { AnswerDialog } from "./answer-dialogs.tsx";
import { MainButtons } from "./main-buttons.tsx";

/** Always in view. The affirmative button, the others, Decline…, Close (which sends nothing), and a menu. */
export function DecisionBar({
  request,
  decision,
  reason,
  pending,
  opened,
  claimedByMe,
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
  /** Why nothing can be decided here now. */
  reason: string | null;
  pending: boolean;
  /** The site of a URL request was opened. */
  opened: boolean;
  claimedByMe: boolean;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
  onDialog: (dialog: AnswerDialog) => void;
  onClaim: () => void;
  onClose: () => void;
}) {
  const me = useMe();
  if (!me.may("approver")) {
    return <p className="border-line border-t px-4 py-3.5 text-[13px] text-muted md:px-8">{reason}</p>;
  }
  const disabled = reason !== null || pending;
  return (
    <div className="shrink-0 border-line border-t bg-panel px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))] md:px-8">
      {reason && (
        <p id="why-not" role="status" className="pb-2.5 text-[13px] text-muted">
          {reason}
        </p>
      )}
      <div className="flex items-center gap-2">
        <MainButtons
          decision={decision}
          isUrl={request.mode === "url"}
          opened={opened}
          disabled={disabled}
          describedBy={reason ? "why-not" : undefined}
          affirmative={affirmative}
          other={other}
          onAccept={onAccept}
          onSubmitForm={onSubmitForm}
        />
        <Button
          variant="ghost"
          className="max-md:hidden"
          disabled={disabled}
          onClick={() => onDialog("decline")}
        >
          Decline… <Kbd>D</Kbd>
        </Button>
        <Button variant="ghost" className="max-md:hidden" onClick={onClose} title="Sends nothing">
          Close
        </Button>
        <Menu
          side="top"
          trigger={
            <Button size="icon" aria-label="More" className="max-md:ml-auto">
              <MoreHorizontal aria-hidden strokeWidth={1.75} />
            </Button>
          }
        >
          <MenuItem disabled={disabled} className="md:hidden" onSelect={() => onDialog("decline")}>
            <ThumbsDown aria-hidden strokeWidth={1.75} />
            Decline…
          </MenuItem>
          <MenuItem disabled={Boolean(request.claimedBy) && !claimedByMe} onSelect={onClaim}>
            <Hand aria-hidden strokeWidth={1.75} />
            {claimedByMe ? "Release" : "Claim"}
            <Kbd className="ml-auto">C</Kbd>
          </MenuItem>
          <MenuItem className="md:hidden" onSelect={onClose}>
            <X aria-hidden strokeWidth={1.75} />
            Close
          </MenuItem>
          <MenuSeparator />
          <MenuItem disabled={disabled} className="items-start" onSelect={() => onDialog("cancel")}>
            <Ban aria-hidden className="mt-0.5" strokeWidth={1.75} />
            <span>
              Send cancel…
              <span className="block text-muted text-xs">
                Dismisses the question. Many servers take it as a rejection.
              </span>
            </span>
          </MenuItem>
        </Menu>
        <p className="ml-auto text-balance pl-4 text-right text-muted text-xs max-lg:hidden">
          {inWhoseName(request, me.organization.name)}
        </p>
      </div>
    </div>
  );
}

function inWhoseName(request: InputRequestDetail, organization: string): string {
  const owner = request.connectionOwner;
  return owner
    ? `Sent to ${request.server.name} in the name of ${owner.name}’s connection`
    : `Sent to ${request.server.name} through ${organization}’s shared connection`;
}
