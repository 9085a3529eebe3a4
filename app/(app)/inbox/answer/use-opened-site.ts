"use client";

import { useState } from "react";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";

/**
 * Returns whether this tab has opened the site of a question, and a function that records the opening.
 * Survives a reload: a person who returns from the site must not be asked again. Bound to the question's
 * hash, because another address needs another consent.
 */
export function useOpenedSite(question: Pick<InputRequestDetail, "id" | "questionHash">) {
  const key = `intray:opened:${question.id}:${question.questionHash}`;
  const [opened, setOpened] = useState(() => hasStored(key));
  const open = () => {
    setOpened(true);
    try {
      sessionStorage.setItem(key, "1");
    } catch {
      // Without storage the record lasts as long as the page.
    }
  };
  return [opened, open] as const;
}

function hasStored(key: string): boolean {
  try {
    return sessionStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}
