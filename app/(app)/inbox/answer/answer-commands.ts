"use client";

import type { RefObject } from "react";
import { type PaletteCommand, usePaletteCommands } from "@/components/shell/palette/palette-commands.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { type Decision, isApproval } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { useTrouble } from "@/lib/web/client/base/use-connection.ts";
import { troubleBlocker } from "./answer-blockers.ts";
import { assignmentOffer } from "./assignment/assignment-offer.ts";
import { decisionButtons, mayRevise, standOffer } from "./decision/decision-offer.ts";

/** Offers the decision bar's actions in the palette, each with the reason if it is disabled. */
export function AnswerCommands({
  request,
  decision,
  anyReason,
  acceptReason,
  unseen,
  offered,
  affirmative,
  other,
  onDiscuss,
  onAssign,
}: {
  request: InputRequestDetail;
  decision: Decision;
  anyReason: string | null;
  /** Why the request cannot be accepted now; null if accepting is possible. */
  acceptReason: string | null;
  /** What has to be done before the affirmative choice. */
  unseen: string | null;
  offered: Record<"decline" | "edit" | "stand" | "revise" | "claim" | "snooze", (() => void) | null>;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onDiscuss: () => void;
  onAssign: () => void;
}) {
  const me = useMe();
  const away = troubleBlocker(useTrouble());
  const name = requestName(request);
  const group = "This request";
  const because = (why: string | null) => (why ? { disabled: why } : {});
  const commands: PaletteCommand[] = [];
  const add = (command: Omit<PaletteCommand, "group">) => commands.push({ group, ...command });
  if (request.state === "open" && me.may("requests:answer")) {
    const buttons = decisionButtons(request, decision);
    const yes = affirmativeWords(decision, request);
    const no = buttons.find(({ shortcut }) => shortcut === "R")?.label;
    // Like the key A when one press is not enough: moves the focus to the button, which decides.
    if (yes)
      add({
        id: "request:yes",
        label: `${yes} ${name}…`,
        keys: buttons[0]?.shortcut ?? "A",
        run: () => lead(affirmative),
        ...because(acceptReason ?? unseen),
      });
    if (no)
      add({
        id: "request:no",
        label: `${no} ${name}…`,
        keys: "R",
        run: () => lead(other),
        ...because(acceptReason),
      });
    if (request.actions.includes("decline"))
      add({
        id: "request:decline",
        label: `Decline to answer ${name}…`,
        keys: "D",
        run: () => offered.decline?.(),
        ...because(anyReason),
      });
    if (request.editable)
      add({
        id: "request:edit",
        label: `Approve ${name} with changes…`,
        keys: "E",
        run: () => offered.edit?.(),
        ...because(acceptReason ?? unseen),
      });
    if (standOffer(request, me) === "yes")
      add({
        id: "request:stand",
        label: `Approve ${name} for a while…`,
        keys: "W",
        run: () => offered.stand?.(),
        ...because(acceptReason ?? unseen),
      });
    if (mayRevise(request))
      add({
        id: "request:revise",
        label: `Ask to revise ${name}…`,
        keys: "V",
        run: () => offered.revise?.(),
        ...because(anyReason),
      });
    const claimedByMe = request.claimedBy?.id === me.user.id;
    if (offered.claim)
      add({
        id: "request:claim",
        label: `${claimedByMe ? "Release" : "Claim"} ${name}`,
        keys: "C",
        run: offered.claim,
      });
    if (offered.snooze)
      add({ id: "request:snooze", label: `Snooze ${name}…`, keys: "B", run: offered.snooze });
    add({
      id: "request:comment",
      label: `Discuss ${name}`,
      keys: "M",
      run: () => setTimeout(onDiscuss),
    });
    if (assignmentOffer(request, me).give)
      add({ id: "request:assign", label: `Hand over ${name}…`, run: onAssign, ...because(away) });
  }
  usePaletteCommands(commands);
  return null;
}

function affirmativeWords(decision: Decision, request: InputRequestDetail): string | undefined {
  if (request.mode === "url") return "Continue:";
  if (decision.kind === "choices") return decision.choices[0]?.label;
  if (decision.kind === "confirm") return isApproval(request) ? "Approve" : "Confirm";
  return decision.kind === "form" ? "Send the answer for" : undefined;
}

/** Focuses the button after the palette has restored the focus on closing. */
function lead(button: RefObject<HTMLButtonElement | null>) {
  setTimeout(() => button.current?.focus());
}
