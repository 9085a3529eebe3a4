/**
 * Remembers where the focus is now, or `was`. The function that it returns brings it back there, or to what is left
 * around that place; it does nothing where the focus was moved on purpose meanwhile.
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

/** An item of a menu goes with its menu; the button that opened it stays. */
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
