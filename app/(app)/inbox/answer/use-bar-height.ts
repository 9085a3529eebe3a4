"use client";

import { type RefObject, useEffect } from "react";

/** Says how high the decision bar is as `--decision-bar`, so that toasts appear above it. */
export function useBarHeight(bar: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() =>
      style.setProperty("--decision-bar", `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty("--decision-bar");
    };
  }, [bar]);
}
