"use client";

import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { cn } from "@/components/ui/cn.ts";
import { KeyLock } from "@/components/ui/overlay/key-lock.tsx";
import { rememberFocus } from "@/components/ui/overlay/return-focus.ts";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  className?: string;
  /** For dialogs to read: the focus goes to the dialog, not to its first control. */
  forReading?: boolean;
}

/** The dialog itself, loaded when the first dialog opens. */
export function DialogBox({
  open,
  onOpenChange,
  title,
  description,
  children,
  className,
  forReading,
}: DialogProps) {
  // Saved during render: a field with autofocus takes the focus before Radix asks.
  const [shown, setShown] = useState(false);
  const [giveBack, setGiveBack] = useState<(() => void) | null>(null);
  if (shown !== open) {
    setShown(open);
    if (open) setGiveBack(() => rememberFocus());
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[oklch(0.2_0.02_230/0.45)]" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            if (!forReading) return;
            event.preventDefault();
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            giveBack?.();
          }}
          className={cn(
            "appear fixed z-50 flex max-h-[85dvh] scroll-pb-24 flex-col gap-4 overflow-y-auto border border-line bg-panel p-5 shadow-pop outline-none",
            "inset-x-0 bottom-0 rounded-t-xl md:inset-x-auto md:bottom-auto md:left-1/2 md:top-[14dvh] md:w-full base:md:max-w-lg md:-translate-x-1/2 md:rounded-xl",
            className,
          )}
        >
          <KeyLock />
          <div className="flex flex-col gap-1 pr-8">
            <Radix.Title className="text-base font-semibold tracking-tight">{title}</Radix.Title>
            {description && <Radix.Description className="text-muted">{description}</Radix.Description>}
          </div>
          {children}
          <Radix.Close
            aria-label="Close"
            className="absolute top-4 right-4 grid size-7 place-items-center rounded-md text-muted hover:bg-sunken hover:text-ink max-md:top-2 max-md:right-2 max-md:size-11"
          >
            <X aria-hidden className="size-4" strokeWidth={1.75} />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
