"use client";

import { LoaderCircle } from "lucide-react";
import type { ReactNode, Ref, RefObject } from "react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";
import type { Decision } from "@/lib/input-requests/decision.ts";
import type { Decided } from "./use-decide.ts";

/** Labels up to this length share a line on a phone; more than two or longer ones get lines of their own. */
const SHORT = 14;

export function needsRoom(decision: Decision): boolean {
  if (decision.kind !== "choices") return false;
  return decision.choices.length > 2 || decision.choices.some(({ label }) => label.length > SHORT);
}

/** The buttons that decide: one per choice, or one for the whole form. */
export function MainButtons({
  decision,
  isUrl,
  opened,
  disabled,
  pending,
  describedBy,
  affirmative,
  other,
  onAccept,
  onSubmitForm,
}: {
  decision: Decision;
  isUrl: boolean;
  opened: boolean;
  disabled: boolean;
  /** The decision being recorded. */
  pending: Decided | null;
  describedBy: string | undefined;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
}) {
  const common = { describedBy, pending: false, busy: pending !== null, disabled };
  const single = {
    ...common,
    buttonRef: affirmative,
    shortcut: "A",
    primary: true,
    pending: pending?.action === "accept",
  };
  if (isUrl) {
    return (
      <Main {...single} disabled={disabled || !opened} onPress={() => onAccept()}>
        Continue the task
      </Main>
    );
  }
  switch (decision.kind) {
    case "none":
      return null;
    case "confirm":
      return (
        <Main {...single} onPress={() => onAccept({})}>
          Confirm
        </Main>
      );
    case "form":
      return (
        <Main {...single} onPress={onSubmitForm}>
          Send answer
        </Main>
      );
    case "choices": {
      const long = decision.choices.some(({ label }) => label.length > SHORT);
      return (
        <div
          className={cn(
            "flex min-w-0 gap-2 max-md:flex-1 md:flex-wrap",
            needsRoom(decision) && (long ? "max-md:flex-col" : "max-md:grid max-md:grid-cols-2"),
          )}
        >
          {decision.choices.map((choice, index) => (
            <Main
              key={choice.label}
              {...common}
              buttonRef={index === 0 ? affirmative : index === 1 ? other : null}
              shortcut={index === 0 ? "A" : index === 1 ? "R" : null}
              primary={index === 0 && choice.affirmative}
              pending={same(pending?.content, choice.content)}
              onPress={() => onAccept(choice.content)}
            >
              {choice.label}
            </Main>
          ))}
        </div>
      );
    }
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A button of a decision. While one is recorded, every button keeps its place and focus but does nothing. */
function Main({
  buttonRef,
  shortcut,
  primary,
  disabled,
  busy,
  pending,
  describedBy,
  onPress,
  children,
}: {
  buttonRef: Ref<HTMLButtonElement>;
  shortcut: string | null;
  primary: boolean;
  disabled: boolean;
  /** Whether any decision is being recorded; `pending`: this one. */
  busy: boolean;
  pending: boolean;
  describedBy: string | undefined;
  onPress: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      ref={buttonRef}
      variant={primary ? "primary" : "outline"}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={pending || undefined}
      aria-describedby={describedBy}
      aria-keyshortcuts={shortcut ?? undefined}
      className="h-auto min-h-9 aria-busy:opacity-100 min-w-0 max-w-full shrink whitespace-normal py-1.5 text-left max-md:min-h-11 max-md:flex-1 max-md:text-center md:max-w-80"
      onClick={() => !busy && onPress()}
    >
      {pending ? (
        <>
          <LoaderCircle
            aria-hidden
            strokeWidth={2}
            className="animate-[turn_1.6s_linear_infinite] motion-reduce:animate-none"
          />
          Recording…
        </>
      ) : (
        <>
          <span className="wrap-anywhere">{children}</span>
          {shortcut && <Kbd>{shortcut}</Kbd>}
        </>
      )}
    </Button>
  );
}
