import { type RefObject, useEffectEvent, useLayoutEffect } from "react";

/** Calls `measure` before the element is painted first, and whenever its size changes. */
export function useMeasured<E extends Element>(ref: RefObject<E | null>, measure: (element: E) => void) {
  const look = useEffectEvent(measure);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    look(element);
    const observer = new ResizeObserver(() => look(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
}
