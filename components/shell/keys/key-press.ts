type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "repeat">;

/**
 * Returns `x`, `shift+x`, `?` or `escape`. Shift is named with letters and named keys only; other characters
 * already imply Shift.
 */
export function nameOf({ key, shiftKey }: Pick<Press, "key" | "shiftKey">): string {
  const shifted = shiftKey && (key.length > 1 || key.toLowerCase() !== key.toUpperCase());
  return (shifted ? "shift+" : "") + key.toLowerCase();
}

/** Returns the name of the shortcut that a press means, or null if the press is not for shortcuts. */
export function heardAs(
  press: Press,
  {
    handled,
    singleKeys,
    locked,
    typing,
  }: {
    /** Another handler took the press. */
    handled: boolean;
    /** The person has single keys switched on; otherwise only keys that write no character count. */
    singleKeys: boolean;
    /** A dialog or a menu is open. */
    locked: boolean;
    /** A field has the focus; only Escape leaves it. */
    typing: boolean;
  },
): string | null {
  if (handled || locked || press.repeat) return null;
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (!singleKeys && press.key.length === 1) return null;
  if (typing && press.key !== "Escape") return null;
  return nameOf(press);
}

/**
 * Returns what the key after G does: `wait` for one that is only held, `leave` for a command of the browser,
 * `end` for a key of no page, or the page's address. `pages`: those with a key, also of pages without a link.
 */
export function afterG(
  press: Pick<Press, "key" | "ctrlKey" | "metaKey" | "altKey">,
  pages: { key: string; href: string }[],
): "wait" | "leave" | "end" | { href: string } {
  if (["Shift", "Control", "Alt", "Meta"].includes(press.key)) return "wait";
  if (press.ctrlKey || press.altKey || press.metaKey) return "leave";
  const page = pages.find(({ key }) => key === press.key.toLowerCase());
  return page ? { href: page.href } : "end";
}
