"use client";

import type { RefObject } from "react";
import type { Fold } from "@/components/text/folds.tsx";
import { cn } from "@/components/ui/cn.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import type { Decision } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import type { Decided } from "../decided.ts";
import { decisionButtons, isGuarded, isLong, isSame, needsRoom, readsFirst } from "./decision-offer.ts";
import { MainButton } from "./main-button.tsx";

export const LazyGuardedButton = lazyComponent(
  () => import("../../request/request-chunk.ts").then((file) => file.GuardedButton),
  { warm: true },
);

/** The buttons that decide: one per choice, or one for the whole form. */
export function MainButtons({
  question,
  decision,
  opened,
  disabled,
  unseen,
  unopened,
  pending,
  describedBy,
  affirmative,
  other,
  onAccept,
  onSubmitForm,
  onRead,
}: {
  /** The question on the screen. */
  question: InputRequestDetail;
  decision: Decision;
  opened: boolean;
  disabled: boolean;
  /** Something has to be seen before; a harmless choice is possible without. */
  unseen: boolean;
  /** What is folded away, which a press opens before it decides. */
  unopened: Fold[];
  /** The decision being recorded. */
  pending: Decided | null;
  describedBy: string | undefined;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
  /** Opens what is folded away. */
  onRead: () => void;
}) {
  const guarded = isGuarded(question);
  const buttons = decisionButtons(question, decision).map((button, index) => {
    const { label, choice, content } = button;
    const reads = readsFirst(unopened, question, choice);
    const props = {
      describedBy,
      buttonRef: index === 0 ? affirmative : button.shortcut === "R" ? other : null,
      shortcut: button.shortcut,
      primary: button.primary,
      busy: pending !== null,
      pending:
        pending !== null &&
        (choice ? isSame(pending, { action: "accept", content }) : pending.action === "accept"),
      disabled: disabled || (button.opensFirst && !opened),
      onPress: () => (button.sendsForm ? onSubmitForm() : reads ? onRead() : onAccept(content)),
      children: label,
    };
    return guarded ? (
      <LazyGuardedButton
        key={button.shortcut}
        {...props}
        question={question}
        choice={choice}
        unseen={unseen}
        reads={reads}
      />
    ) : (
      <MainButton key={button.shortcut} {...props} />
    );
  });
  if (decision.kind !== "choices" || question.mode === "url") return buttons;
  return (
    <div
      className={cn(
        "flex min-w-0 gap-2 max-md:flex-1 md:flex-wrap",
        needsRoom(decision) && "max-md:basis-full",
        needsRoom(decision) &&
          (decision.choices.some(isLong) ? "max-md:flex-col" : "max-md:grid max-md:grid-cols-2"),
      )}
    >
      {buttons}
    </div>
  );
}
