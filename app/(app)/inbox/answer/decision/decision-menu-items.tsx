"use client";

import {
  Ban,
  Clock3,
  Hand,
  HandHelping,
  MessageSquareReply,
  PencilLine,
  Scale,
  SkipForward,
  ThumbsDown,
  Timer,
  UserCheck,
  UserPlus,
  UserX,
} from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { cancelWords, declineShortly, reviseShortly } from "@/lib/requests/words/own-questions.ts";
import { useTrouble } from "@/lib/web/client/base/use-connection.ts";
import { troubleBlocker } from "../answer-blockers.ts";
import type { AnswerDialog } from "../answer-dialogs.tsx";
import { assignmentOffer } from "../assignment/assignment-offer.ts";
import { useAssign } from "../assignment/use-assign.ts";
import type { ClaimStep } from "../assignment/use-claim.ts";
import { goOnFrom } from "../decision-store.ts";
import { mayRevise, standOffer } from "./decision-offer.ts";

export interface DecisionMenuProps {
  request: InputRequestDetail;
  /** Declining is offered, and not in the bar. */
  declines: boolean;
  /** No decision is possible here now. */
  disabled: boolean;
  /** The request can't be accepted here now. */
  acceptOff: boolean;
  onDialog: (dialog: AnswerDialog) => void;
  onClaim: (step: ClaimStep) => void;
}

export function DecisionMenuItems({
  request,
  declines,
  disabled,
  acceptOff,
  onDialog,
  onClaim,
}: DecisionMenuProps) {
  const me = useMe();
  const assign = useAssign(request);
  const away = troubleBlocker(useTrouble()) !== null;
  const offer = assignmentOffer(request, me);
  const { claim } = offer;
  const stands = standOffer(request, me);
  const icon = { "aria-hidden": true, strokeWidth: 1.75 };
  return (
    <>
      {declines && (
        <MenuItem disabled={disabled} className="items-start" onSelect={() => onDialog("decline")}>
          <ThumbsDown {...icon} className="mt-0.5" />
          <span>
            Decline to answer…
            <span className="block max-w-64 text-muted text-xs">{declineShortly(request)}</span>
          </span>
          <Kbd className="mt-0.5 ml-auto">D</Kbd>
        </MenuItem>
      )}
      {request.editable && (
        <MenuItem disabled={disabled || acceptOff} onSelect={() => onDialog("edit")}>
          <PencilLine {...icon} />
          Approve with changes…
          <Kbd className="ml-auto">E</Kbd>
        </MenuItem>
      )}
      {stands !== "no" && (
        <MenuItem
          disabled={disabled || acceptOff || stands === "policy"}
          className="items-start"
          onSelect={() => onDialog("standing")}
        >
          <Timer {...icon} className="mt-0.5" />
          <span>
            Approve for a while…
            {stands === "policy" && (
              <span className="block max-w-64 text-muted text-xs">
                Not possible: the policy says who decides on each call
              </span>
            )}
          </span>
          {stands === "yes" && <Kbd className="mt-0.5 ml-auto">W</Kbd>}
        </MenuItem>
      )}
      {mayRevise(request) && (
        <MenuItem disabled={disabled} className="items-start" onSelect={() => onDialog("revise")}>
          <MessageSquareReply {...icon} className="mt-0.5" />
          <span>
            Ask to revise…
            <span className="block max-w-64 text-muted text-xs">{reviseShortly(request)}</span>
          </span>
          <Kbd className="mt-0.5 ml-auto">V</Kbd>
        </MenuItem>
      )}
      <MenuItem onSelect={() => goOnFrom(request.id, "skip")}>
        <SkipForward {...icon} />
        Skip
        <Kbd className="ml-auto">S</Kbd>
      </MenuItem>
      {offer.snooze && (
        <MenuItem disabled={away} onSelect={() => onDialog("snooze")}>
          <Clock3 {...icon} />
          Snooze…
          <Kbd className="ml-auto">B</Kbd>
        </MenuItem>
      )}
      {offer.takeOver && (
        <MenuItem disabled={away} onSelect={() => onClaim("take-over")}>
          <HandHelping {...icon} />
          Take over from {request.claimedBy?.name}
        </MenuItem>
      )}
      {claim && (
        <MenuItem disabled={away} onSelect={() => onClaim(claim)}>
          <Hand {...icon} />
          {claim === "release" ? "Release" : "Claim"}
          <Kbd className="ml-auto">C</Kbd>
        </MenuItem>
      )}
      {offer.give && (
        <MenuItem disabled={away} onSelect={() => onDialog("assign")}>
          <UserPlus {...icon} />
          Hand over…
        </MenuItem>
      )}
      {offer.toMe && (
        <MenuItem disabled={away} onSelect={() => assign.toMe()}>
          <UserCheck {...icon} />
          Assign to me
        </MenuItem>
      )}
      {offer.unassign && (
        <MenuItem disabled={away} onSelect={() => assign.to(null)}>
          <UserX {...icon} />
          Unassign
        </MenuItem>
      )}
      {offer.judgeAgain && (
        <MenuItem disabled={away} onSelect={() => onDialog("judge-again")}>
          <Scale {...icon} />
          Apply the current policy…
        </MenuItem>
      )}
      {/* A program that asks through Intray would take a dismissal for a refusal without a reason. */}
      {request.origin === "server" && request.actions.includes("cancel") && (
        <>
          <MenuSeparator />
          <MenuItem disabled={disabled} className="items-start" onSelect={() => onDialog("cancel")}>
            <Ban {...icon} className="mt-0.5" />
            <span>
              Dismiss without answering…
              <span className="block max-w-64 text-muted text-xs">{cancelWords(request)}</span>
            </span>
          </MenuItem>
        </>
      )}
    </>
  );
}
