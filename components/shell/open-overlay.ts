/** Overlays of the shell, opened on demand. */
export const OVERLAYS = ["palette", "shortcuts", "ask", "moved"] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** Opens an overlay from anywhere; shell.tsx listens. */
export function openOverlay(overlay: Overlay) {
  window.dispatchEvent(new Event(`intray:${overlay}`));
}
