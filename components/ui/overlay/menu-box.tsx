"use client";

import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import { type ComponentProps, type ReactElement, type ReactNode, useState } from "react";
import { cn } from "@/components/ui/cn.ts";
import { KeyLock } from "@/components/ui/overlay/key-lock.tsx";

export interface MenuProps {
  trigger: ReactElement<ComponentProps<"button">>;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  /** The loader of the menu's items, if they are a separate chunk: the menu opens once they are loaded. */
  items?: { load: () => Promise<void> };
}

const itemStyle =
  "flex min-h-8 cursor-pointer base:items-center gap-2.5 rounded-md px-2 py-1.5 outline-none data-[disabled]:cursor-default data-[disabled]:opacity-50 data-[highlighted]:bg-sunken max-md:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted";

/** The menu itself, loaded when first opened, so it mounts open. */
export function MenuBox({ trigger, children, align = "end", side }: MenuProps) {
  // The portal is inside the landmark, so that a screen reader knows where the menu belongs.
  const [place] = useState(() => document.getElementById("main"));
  return (
    // Not modal: the page behind a menu stays accessible to screen readers.
    <Radix.Root modal={false} defaultOpen>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={place}>
        <Radix.Content
          align={align}
          {...(side ? { side } : {})}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 min-w-52 max-w-80 rounded-lg border border-line bg-panel p-1 shadow-pop"
        >
          <KeyLock by="menu" />
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuItem({ className, ...props }: ComponentProps<typeof Radix.Item>) {
  return <Radix.Item className={cn(itemStyle, className)} {...props} />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 py-1.5 text-xs text-muted">{children}</Radix.Label>;
}

export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}

export function MenuChoices({
  name,
  value,
  onChange,
  choices,
}: {
  /** What a screen reader calls the choices. */
  name: string;
  value: string;
  onChange: (value: string) => void;
  choices: { value: string; label: string }[];
}) {
  return (
    <Radix.RadioGroup aria-label={name} value={value} onValueChange={onChange}>
      {choices.map((choice) => (
        <Radix.RadioItem key={choice.value} value={choice.value} className={itemStyle}>
          <span className="grid size-4 place-items-center">
            <Radix.ItemIndicator>
              <Check aria-hidden className="size-4 text-accent" />
            </Radix.ItemIndicator>
          </span>
          {choice.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
