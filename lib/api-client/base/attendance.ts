/** Whether somebody is at the page. What it rereads by itself keeps no session alive. */

/** Reading without touching anything takes longer than this; each touch then keeps the session as before. */
const UNATTENDED_AFTER_MS = 60_000;

let usedAt = Date.now();

const note = () => {
  usedAt = Date.now();
};
if (typeof window !== "undefined")
  for (const event of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"])
    window.addEventListener(event, note, { passive: true, capture: true });

export const isUnattended = (): boolean => Date.now() - usedAt > UNATTENDED_AFTER_MS;
