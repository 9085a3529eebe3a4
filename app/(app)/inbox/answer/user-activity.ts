const DOINGS = ["keydown", "pointerdown", "wheel", "popstate"] as const;

/** Whether the person has done something since: what they look at then is theirs, and is not moved away. */
export function watchHands(): { moved: () => boolean; stop: () => void } {
  let moved = false;
  const note = () => {
    moved = true;
  };
  // Not the press that is being handled just now.
  const timer = setTimeout(() => {
    for (const doing of DOINGS) window.addEventListener(doing, note, { capture: true, passive: true });
  });
  return {
    moved: () => moved,
    stop: () => {
      clearTimeout(timer);
      for (const doing of DOINGS) window.removeEventListener(doing, note, { capture: true });
    },
  };
}
