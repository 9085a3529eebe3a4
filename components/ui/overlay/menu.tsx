"use client";

import { type ComponentProps, cloneElement, type KeyboardEvent, useState } from "react";
import { loadWhenTouched } from "@/components/ui/lazy-component.tsx";
import type { MenuProps } from "@/components/ui/overlay/menu-box.tsx";

type Box = typeof import("./menu-box.tsx");

let box: Box | null = null;
const load = async () => {
  box ??= await import("./menu-box.tsx");
};
loadWhenTouched(load);

/** A button with a menu. Renders only the button until the first opening. */
export function Menu(props: MenuProps) {
  const [used, setUsed] = useState(false);
  if (used && box) return <box.MenuBox {...props} />;
  const open = () => void Promise.all([load(), props.items?.load()]).then(() => setUsed(true));
  return cloneElement(props.trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: open,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "ArrowDown") open();
    },
  });
}

// Menu contents render inside the menu, so `box` is loaded by then.

export function MenuItem(props: ComponentProps<Box["MenuItem"]>) {
  return box && <box.MenuItem {...props} />;
}

export function MenuLabel(props: ComponentProps<Box["MenuLabel"]>) {
  return box && <box.MenuLabel {...props} />;
}

export function MenuSeparator() {
  return box && <box.MenuSeparator />;
}

export function MenuChoices(props: ComponentProps<Box["MenuChoices"]>) {
  return box && <box.MenuChoices {...props} />;
}
