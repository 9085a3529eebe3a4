"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { api } from "@/components/api/client.ts";
import { requestDetail } from "@/components/api/requests.ts";
import type { AnswerValues } from "@/lib/format/answer-values.ts";

const DEBOUNCE_MS = 700;

/** Keeps what was typed on the server, a moment after the last key, and at once when the pane closes. */
export function useDraft(requestId: string) {
  const client = useQueryClient();
  const [saved, setSaved] = useState(false);
  const waiting = useRef<AnswerValues | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const flush = useCallback(async () => {
    clearTimeout(timer.current);
    const values = waiting.current;
    if (!values) return;
    waiting.current = null;
    const content = Object.fromEntries(Object.entries(values).filter(([, value]) => value.length > 0));
    // Whoever comes back to this request finds what they typed, also before the next read from the server.
    client.setQueryData(
      requestDetail(requestId).queryKey,
      (before) => before && { ...before, draft: content },
    );
    try {
      await api.put(`/api/v1/input-requests/${requestId}/draft`, { content });
      setSaved(true);
    } catch {
      // A draft is a convenience: the form still holds everything, and the next key tries again.
      setSaved(false);
    }
  }, [client, requestId]);

  useEffect(() => () => void flush(), [flush]);

  const save = (values: AnswerValues) => {
    waiting.current = values;
    setSaved(false);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void flush(), DEBOUNCE_MS);
  };
  /** The answer is out: what was typed for it is no draft any more. */
  const forget = () => {
    clearTimeout(timer.current);
    waiting.current = null;
  };
  return { saved, save, forget };
}
