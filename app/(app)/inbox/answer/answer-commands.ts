"use client";

import type { RefObject } from "react";
import { type PaletteCommand, usePaletteCommands } from "@/components/shell/palette/palette-commands.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { requestName } from "@/lib/format/requests/requests.ts";
import type { Decision } from "@/lib/input-requests/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** What the palette offers for the open request: the same as its bar, with why it cannot be done just now. */
export function AnswerCommands({
  request,
  decision,
  reason,
  acceptReason,
  offered,
  affirmative,
  other,
  onAssign,
}: {
  request: InputRequestDetail;
  decision: Decision;
  reason: string | null;
  /** The same for accepting alone. */
  acceptReason: string | null;
  offered: { decline: (() => void) | null; claim: (() => void) | null };
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAssign: () => void;
}) {
  const me = useMe();
  const name = requestName(request);
  const group = "This request";
  const because = (why: string | null) => (why ? { disabled: why } : {});
  const commands: PaletteCommand[] = [];
  const add = (command: Omit<PaletteCommand, "group">) => commands.push({ group, ...command });
  if (request.state === "open" && me.may("requests:answer")) {
    const [yes, no] = labels(decision, request.mode === "url");
    // As the single key where one press is not enough: it leads to the button, which decides.
    if (yes)
      add({
        id: "request:yes",
        label: `${yes} ${name}…`,
        keys: "A",
        run: () => lead(affirmative),
        ...because(acceptReason),
      });
    if (no)
      add({
        id: "request:no",
        label: `${no} ${name}…`,
        keys: "R",
        run: () => lead(other),
        ...because(acceptReason),
      });
    add({
      id: "request:decline",
      label: `Decline ${name}…`,
      keys: "D",
      run: () => offered.decline?.(),
      ...because(reason),
    });
    const claimedByMe = request.claimedBy?.id === me.user.id;
    if (offered.claim)
      add({
        id: "request:claim",
        label: `${claimedByMe ? "Release" : "Claim"} ${name}`,
        keys: "C",
        run: offered.claim,
      });
    if (me.may("requests:assign")) add({ id: "request:assign", label: `Assign ${name}…`, run: onAssign });
  }
  usePaletteCommands(commands);
  return null;
}

function labels(decision: Decision, isUrl: boolean): (string | undefined)[] {
  if (isUrl) return ["Continue:"];
  if (decision.kind === "choices") return decision.choices.slice(0, 2).map((choice) => choice.label);
  return decision.kind === "confirm" ? ["Confirm"] : decision.kind === "form" ? ["Send the answer for"] : [];
}

/** The palette gives the focus back as it closes: this comes after. */
function lead(button: RefObject<HTMLButtonElement | null>) {
  setTimeout(() => button.current?.focus());
}
