"use client";

import { useState } from "react";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/**
 * Whether this tab has opened the site of a question, and how to say that it has. A reload keeps it: who comes back
 * from the site must not be asked to go there again. Bound to the question's hash, so that another address is another
 * consent.
 */
export function useOpenedSite(question: Pick<InputRequestDetail, "id" | "questionHash">) {
  const key = `intray:opened:${question.id}:${question.questionHash}`;
  const [opened, setOpened] = useState(() => read(key));
  const open = () => {
    setOpened(true);
    try {
      sessionStorage.setItem(key, "1");
    } catch {
      // Without storage it lasts as long as the page.
    }
  };
  return [opened, open] as const;
}

function read(key: string): boolean {
  try {
    return sessionStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}
