/**
 * Remembers the focused element, or `was`. Returns a function that restores the focus there, or to the
 * nearest remaining ancestor. The function does nothing if the focus has moved elsewhere on purpose.
 */
export function rememberFocus(was = document.activeElement): () => void {
  const path = pathOf(whereItCameFrom(was));
  return () => {
    if (document.activeElement && document.activeElement !== document.body) return;
    for (const element of path) {
      if (!element.isConnected) continue;
      element.focus({ preventScroll: true });
      if (document.activeElement === element) return;
    }
    document.getElementById("main")?.focus({ preventScroll: true });
  };
}

/**
 * Returns the button that opened the menu, for a menu item, which disappears with its menu; else the element.
 */
function whereItCameFrom(element: Element | null): Element | null {
  const opener = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return (opener && document.getElementById(opener)) || element;
}

function pathOf(element: Element | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let each = element; each && each !== document.body; each = each.parentElement)
    if (each instanceof HTMLElement) path.push(each);
  return path;
}
