"use client";

import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode, Ref } from "react";
import { ChoiceTitle } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

export interface MainButtonProps {
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
}

/** A button of a decision. While one is recorded, every button keeps its place and focus but does nothing. */
export function MainButton({
  buttonRef,
  shortcut,
  primary,
  disabled,
  busy,
  pending,
  describedBy,
  onPress,
  children,
  ...more
}: MainButtonProps & Omit<ComponentProps<typeof Button>, keyof MainButtonProps>) {
  return (
    <Button
      ref={buttonRef}
      variant={primary ? "primary" : "outline"}
      // Stays reachable, with the reason as its description, and keeps the focus when it goes off.
      aria-disabled={disabled || busy || undefined}
      aria-busy={pending || undefined}
      aria-describedby={describedBy}
      aria-keyshortcuts={shortcut ?? undefined}
      className="h-auto min-h-9 aria-busy:opacity-100 min-w-0 max-w-full shrink whitespace-normal py-1.5 text-left max-md:min-h-11 max-md:flex-1 max-md:text-center md:max-w-80"
      onClick={() => !disabled && !busy && onPress()}
      {...more}
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
          <span className="wrap-anywhere">
            {typeof children === "string" ? <ChoiceTitle text={children} /> : <bdi>{children}</bdi>}
          </span>
          {shortcut && <Kbd>{shortcut}</Kbd>}
        </>
      )}
    </Button>
  );
}
