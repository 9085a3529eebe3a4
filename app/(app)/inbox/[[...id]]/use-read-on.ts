"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { requestDetail } from "@/components/api/requests.ts";

/** Leads the keyboard to the title of a request once it is on the screen. Whoever moved on meanwhile stays there. */
export function useReadOn(shown: string | null): (id: string) => void {
  const client = useQueryClient();
  const current = useRef(shown);
  useEffect(() => {
    current.current = shown;
  });
  return (id) => {
    const before = document.activeElement;
    void client
      .ensureQueryData(requestDetail(id))
      .then(() => nextFrame().then(nextFrame))
      .then(() => {
        const stayed = document.activeElement === before || document.activeElement === document.body;
        if (current.current === id && stayed) document.getElementById("request-title")?.focus();
      })
      // The pane says why it could not be loaded.
      .catch(() => undefined);
  };
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
