"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { requestDetail } from "@/lib/api-client/requests.ts";

const PATIENCE_MS = 5_000;

/** Returns a function that focuses the title of a request once it is shown, unless the person has moved on meanwhile. */
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
        // Drawing it takes a moment, and a busy machine longer.
        while (!title() && Date.now() < until) await nextFrame();
        // The button that was pressed last may be gone by now.
        const stayed = document.activeElement === before || document.activeElement === document.body;
        if (stayed) title()?.focus();
      })
      // The pane says why it could not be loaded.
      .catch(() => undefined);
  };
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
