"use client";

import { useEffect, useState } from "react";

/** How much of the page's lower end the on-screen keyboard covers, in px; 0 where the page shrinks by itself. */
export function useKeyboardInset(): number {
  const [inset, setInset] = useState(0);
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const measure = () => {
      // Pinched closer, the viewport is smaller too, and nothing covers the page.
      const covered = viewport.scale === 1 ? window.innerHeight - viewport.height - viewport.offsetTop : 0;
      setInset(Math.max(0, Math.round(covered)));
    };
    viewport.addEventListener("resize", measure);
    viewport.addEventListener("scroll", measure);
    return () => {
      viewport.removeEventListener("resize", measure);
      viewport.removeEventListener("scroll", measure);
    };
  }, []);
  return inset;
}
