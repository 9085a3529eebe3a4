import type { ClipboardEvent } from "react";

/**
 * Copies an amount selected on its own as the server sent the value: `1000.5` for the displayed `1,000.50`.
 */
export function copyAsSent(event: ClipboardEvent): void {
  const selection = document.getSelection();
  const node = selection?.anchorNode;
  const figure = (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>("[data-sent]");
  if (!figure || selection?.toString().trim() !== figure.textContent) return;
  event.clipboardData.setData("text/plain", figure.dataset.sent ?? "");
  event.preventDefault();
}
