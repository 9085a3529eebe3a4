"use client";

import {
  Ban,
  Hand,
  HandHelping,
  MoreHorizontal,
  ThumbsDown,
  UserCheck,
  UserPlus,
  UserX,
  X,
} from "lucide-react";
import { useMe } from "@/components/shell/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/menu.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { AnswerDialog } from "./answer-dialogs.tsx";
import { useAssign } from "./use-assign.ts";
import type { ClaimStep } from "./use-claim.ts";

/** What is done to a request beside deciding it: whose it is, and the answer that few servers need. */
export function DecisionMenu({
  request,
  disabled,
  onDialog,
  onClaim,
  onClose,
}: {
  request: InputRequestDetail;
  /** Nothing can be decided here now. */
  disabled: boolean;
  onDialog: (dialog: AnswerDialog) => void;
  onClaim: (step: ClaimStep) => void;
  onClose: () => void;
}) {
  const me = useMe();
  const assign = useAssign(request);
  const { claimedBy, assignedTo } = request;
  const claimedByMe = claimedBy?.id === me.user.id;
  const icon = { "aria-hidden": true, strokeWidth: 1.75 };
  return (
    <Menu
      side="top"
      trigger={
        <Button size="icon" aria-label="More" className="max-md:ml-auto">
          <MoreHorizontal {...icon} />
        </Button>
      }
    >
      <MenuItem disabled={disabled} className="md:hidden" onSelect={() => onDialog("decline")}>
        <ThumbsDown {...icon} />
        Decline…
      </MenuItem>
      {claimedBy && !claimedByMe && me.may("operator") ? (
        <MenuItem onSelect={() => onClaim("take-over")}>
          <HandHelping {...icon} />
          Take over from {claimedBy.name}
        </MenuItem>
      ) : (
        <MenuItem
          disabled={claimedBy !== null && !claimedByMe}
          onSelect={() => onClaim(claimedByMe ? "release" : "claim")}
        >
          <Hand {...icon} />
          {claimedByMe ? "Release" : "Claim"}
          <Kbd className="ml-auto">C</Kbd>
        </MenuItem>
      )}
      {me.may("operator") && (
        <>
          <MenuItem onSelect={() => onDialog("assign")}>
            <UserPlus {...icon} />
            Assign…
          </MenuItem>
          {assignedTo?.id !== me.user.id && (
            <MenuItem onSelect={() => assign.toMe()}>
              <UserCheck {...icon} />
              Assign to me
            </MenuItem>
          )}
          {assignedTo && (
            <MenuItem onSelect={() => assign.to(null)}>
              <UserX {...icon} />
              Unassign
            </MenuItem>
          )}
        </>
      )}
      <MenuItem className="md:hidden" onSelect={onClose}>
        <X {...icon} />
        Close
      </MenuItem>
      <MenuSeparator />
      <MenuItem disabled={disabled} className="items-start" onSelect={() => onDialog("cancel")}>
        <Ban {...icon} className="mt-0.5" />
        <span>
          Send cancel…
          <span className="block text-muted text-xs">
            Dismisses the question. Many servers take it as a rejection.
          </span>
        </span>
      </MenuItem>
    </Menu>
  );
}
