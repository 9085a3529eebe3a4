"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { requestDetail } from "@/lib/web/client/requests.ts";

const PATIENCE_MS = 5_000;

/**
 * Returns a function that focuses the title of a request once shown, unless the person has moved on
 * meanwhile.
 */
export function useFocusTitle(shown: string | null): (id: string) => void {
  const client = useQueryClient();
  const current = useRef(shown);
  useEffect(() => {
    current.current = shown;
  });
  return (id) => {
    const before = document.activeElement;
    void client
      .ensureQueryData(requestDetail(id))
      .then(async () => {
        const until = Date.now() + PATIENCE_MS;
        const title = () => (current.current === id ? document.getElementById("request-title") : null);
        // Rendering takes a moment, longer on a busy machine.
        while (!title() && Date.now() < until) await nextFrame();
        // The button that was pressed last may have unmounted.
        const stayed = document.activeElement === before || document.activeElement === document.body;
        if (stayed) title()?.focus();
      })
      // The pane shows why loading failed.
      .catch(() => undefined);
  };
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
