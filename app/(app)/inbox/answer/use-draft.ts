"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, api } from "@/lib/api-client/base/client.ts";
import { requestDetail } from "@/lib/api-client/requests.ts";
import type { Draft, DraftInput } from "@/lib/input-requests/schema.ts";
import type { AnswerForm } from "./fields/use-answer-form.ts";
import { useLeaving } from "./use-leaving.ts";

const DEBOUNCE_MS = 700;
const RETRY_MS = 5_000;
/** Browsers let a page that goes away send this much and no more. */
const MOST_KEPT_ALIVE = 60_000;

/** `restored`: what stands in the form was typed earlier, at `at`. */
type DraftStatus = { kind: "none" | "saving" | "saved" | "failed" } | { kind: "restored"; at: string };

export interface DraftState {
  comment: string;
  setComment: (text: string) => void;
  status: DraftStatus;
  /** Since the pane was opened. */
  everSaved: boolean;
  /** Saves at once what waits to be saved. */
  flush: () => void;
  /** Throws the draft away, here and on the server. */
  discard: () => void;
}

/**
 * Keeps what is typed on the server: a moment after the last key, at once when a field is left, and when the page or
 * the pane goes away. A newer draft, from another tab of the same person, fills what was not typed in here.
 * @param newest as it is on the server now, by the last read.
 */
export function useDraft(
  requestId: string,
  newest: Draft | null,
  form: Pick<AnswerForm, "watch" | "restore">,
): DraftState {
  const { watch, restore } = form;
  const client = useQueryClient();
  const [comment, setComment] = useState(newest?.comment ?? "");
  const [status, setStatus] = useState<DraftStatus>(restoredFrom(newest));
  const [everSaved, setEverSaved] = useState(false);
  const typed = useRef({ content: newest?.content ?? {}, comment, commentHere: false });
  const known = useRef(newest?.savedAt ?? "");
  const waiting = useRef(false);
  const sending = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const send = useCallback(async () => {
    clearTimeout(timer.current);
    const again = (ms: number) => {
      timer.current = setTimeout(() => void send(), ms);
    };
    // One at a time, so that an older one never arrives last.
    if (sending.current) return again(DEBOUNCE_MS);
    if (!waiting.current) return;
    waiting.current = false;
    sending.current = true;
    const draft = { content: typed.current.content, comment: typed.current.comment } satisfies DraftInput;
    try {
      const savedAt = await put(requestId, draft);
      known.current = savedAt ?? known.current;
      // Whoever comes back to this request finds what they typed, also before the next read from the server.
      const kept = savedAt === null ? null : { ...draft, comment: draft.comment || null, savedAt };
      client.setQueryData(
        requestDetail(requestId).queryKey,
        (before) => before && { ...before, draft: kept },
      );
      setEverSaved(true);
      if (!waiting.current) setStatus({ kind: kept ? "saved" : "none" });
    } catch (error) {
      // Refused for good, since the question is no longer open: the pane says so.
      if (error instanceof ApiError && error.status < 500) return setStatus({ kind: "none" });
      waiting.current = true;
      setStatus({ kind: "failed" });
      again(RETRY_MS);
    } finally {
      sending.current = false;
    }
  }, [client, requestId]);
  const flush = useCallback(() => void send(), [send]);
  useLeaving(flush);

  const change = useCallback(
    (more: Partial<typeof typed.current>) => {
      typed.current = { ...typed.current, ...more };
      waiting.current = true;
      setStatus((before) => (before.kind === "failed" ? before : { kind: "saving" }));
      clearTimeout(timer.current);
      timer.current = setTimeout(flush, DEBOUNCE_MS);
    },
    [flush],
  );
  useEffect(() => watch((content) => change({ content })), [watch, change]);

  useEffect(() => {
    if (newest === null || newest.savedAt <= known.current || waiting.current || sending.current) return;
    known.current = newest.savedAt;
    const content = restore(newest.content);
    typed.current = { ...typed.current, content };
    if (!typed.current.commentHere) {
      typed.current.comment = newest.comment ?? "";
      setComment(typed.current.comment);
    }
    setStatus(restoredFrom(newest));
  }, [newest, restore]);

  return {
    comment,
    setComment: (text) => {
      setComment(text);
      change({ comment: text, commentHere: true });
    },
    status,
    everSaved,
    flush,
    discard: () => {
      setComment("");
      change({ content: restore(null), comment: "", commentHere: false });
      flush();
    },
  };
}

/** When it was kept; null: there is nothing to keep. */
async function put(requestId: string, draft: DraftInput): Promise<string | null> {
  const keepalive = JSON.stringify(draft).length < MOST_KEPT_ALIVE;
  const { savedAt } = await api.put<{ savedAt: string | null }>(
    `/api/v1/input-requests/${requestId}/draft`,
    draft,
    { keepalive, headers: { prefer: "return=representation" } },
  );
  return savedAt;
}

function restoredFrom(draft: Draft | null): DraftStatus {
  return draft ? { kind: "restored", at: draft.savedAt } : { kind: "none" };
}
