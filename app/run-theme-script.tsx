"use client";

import { useEffect } from "react";

/**
 * Runs the theme script again on pages that only the browser renders, such as not-found and error pages:
 * scripts that React inserts do not run.
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
