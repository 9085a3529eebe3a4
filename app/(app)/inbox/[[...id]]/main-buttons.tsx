"use client";

import type { RefObject } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import type { Decision } from "@/lib/format/decision.ts";

/** The buttons that decide: one for each choice, or one for the whole form. */
export function MainButtons({
  decision,
  isUrl,
  opened,
  disabled,
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
  describedBy: string | undefined;
  affirmative: RefObject<HTMLButtonElement | null>;
  other: RefObject<HTMLButtonElement | null>;
  onAccept: (content?: Record<string, unknown>) => void;
  onSubmitForm: () => void;
}) {
  const main = {
    ref: affirmative,
    disabled,
    variant: "primary" as const,
    "aria-describedby": describedBy,
    "aria-keyshortcuts": "A",
    className: "max-md:flex-1",
  };
  if (isUrl) {
    return (
      <Button {...main} disabled={disabled || !opened} onClick={() => onAccept()}>
        I have done it <Kbd>A</Kbd>
      </Button>
    );
  }
  switch (decision.kind) {
    case "none":
      return null;
    case "confirm":
      return (
        <Button {...main} onClick={() => onAccept({})}>
          Confirm <Kbd>A</Kbd>
        </Button>
      );
    case "form":
      return (
        <Button {...main} onClick={onSubmitForm}>
          Send answer <Kbd>A</Kbd>
        </Button>
      );
    case "choices":
      return decision.choices.map((choice, index) => {
        const emphasised = index === 0 && choice.affirmative;
        return (
          <Button
            key={choice.label}
            {...main}
            ref={index === 0 ? affirmative : index === 1 ? other : null}
            variant={emphasised ? "primary" : "outline"}
            aria-keyshortcuts={index === 0 ? "A" : index === 1 ? "R" : undefined}
            onClick={() => onAccept(choice.content)}
          >
            <span className="truncate">{choice.label}</span>
            {index < 2 && <Kbd>{index === 0 ? "A" : "R"}</Kbd>}
          </Button>
        );
      });
  }
}
