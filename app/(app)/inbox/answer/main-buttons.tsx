"use client";

import type { RefObject } from "react";
import { cn } from "@/components/ui/cn.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { type Choice, type Decision, isApproval } from "@/lib/input-requests/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { MainButton, type MainButtonProps } from "./main-button.tsx";
import type { Decided } from "./use-decide.ts";

export const GuardedButton = lazyComponent(
  () => import("../request/first-touch.ts").then((file) => file.GuardedButton),
  { warm: true },
);

/** Whether a slip could do harm here: some choices want a second look, or to be held. */
export function isGuarded({
  warnings,
  previous,
}: Pick<InputRequestDetail, "warnings" | "previous">): boolean {
  return warnings.length > 0 || previous !== null;
}

/** Labels up to this length share a line on a phone; more than two or longer ones get lines of their own. */
const SHORT = 14;

export function needsRoom(decision: Decision): boolean {
  if (decision.kind !== "choices") return false;
  return decision.choices.length > 2 || decision.choices.some(({ label }) => label.length > SHORT);
}

/** The buttons that decide: one per choice, or one for the whole form. */
export function MainButtons({
  question,
  decision,
  opened,
  disabled,
  unseen,
  pending,
  describedBy,
  affirmative,
  other,
  onAccept,
  onSubmitForm,
}: {
  /** The question on the screen. */
  question: InputRequestDetail;
  decision: Decision;
  opened: boolean;
  disabled: boolean;
  /** Something has to be seen before; a harmless choice is possible without. */
  unseen: boolean;
  /** The decision being recorded. */
  pending: Decided | null;
  describedBy: string | undefined;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
}) {
  const common = { describedBy, pending: false, busy: pending !== null };
  const single = {
    ...common,
    buttonRef: affirmative,
    shortcut: "A",
    primary: true,
    pending: pending?.action === "accept",
    disabled,
  };
  const guarded = isGuarded(question);
  const button = (props: MainButtonProps, choice?: Choice) =>
    guarded ? (
      <GuardedButton key={choice?.label} {...props} question={question} choice={choice} unseen={unseen} />
    ) : (
      <MainButton key={choice?.label} {...props} />
    );
  if (question.mode === "url") {
    return button({
      ...single,
      disabled: single.disabled || !opened,
      onPress: () => onAccept(),
      children: "Continue the task",
    });
  }
  switch (decision.kind) {
    case "none":
      return null;
    case "confirm":
      return button({
        ...single,
        onPress: () => onAccept({}),
        children: isApproval(question) ? "Approve" : "Confirm",
      });
    case "form":
      return button({ ...single, onPress: onSubmitForm, children: "Send answer" });
    case "choices": {
      const long = decision.choices.some(({ label }) => label.length > SHORT);
      return (
        <div
          className={cn(
            "flex min-w-0 gap-2 max-md:flex-1 md:flex-wrap",
            needsRoom(decision) && "max-md:basis-full",
            needsRoom(decision) && (long ? "max-md:flex-col" : "max-md:grid max-md:grid-cols-2"),
          )}
        >
          {decision.choices.map((choice, index) =>
            button(
              {
                ...common,
                buttonRef: index === 0 ? affirmative : index === 1 ? other : null,
                shortcut: ["A", "R"][index] ?? String(index + 1),
                primary: index === 0 && choice.affirmative,
                pending: same(pending?.content, choice.content),
                disabled,
                onPress: () => onAccept(choice.content),
                children: choice.label,
              },
              choice,
            ),
          )}
        </div>
      );
    }
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
