"use client";

import { useEffect } from "react";

/**
 * A page that is not there, or failed, is drawn by the browser alone, and the scripts that React puts into a page do
 * not run: this one is put in place once more.
 */
export function RunThemeScript({ id, nonce }: { id: string; nonce: string | undefined }) {
  useEffect(() => {
    const inert = document.getElementById(id);
    if (!inert || document.documentElement.style.colorScheme) return;
    const script = document.createElement("script");
    if (nonce) script.nonce = nonce;
    script.textContent = inert.textContent;
    document.head.append(script);
  }, [id, nonce]);
  return null;
}
