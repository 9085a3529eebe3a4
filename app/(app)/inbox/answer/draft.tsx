"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { DraftInput } from "@/lib/requests/request-input-schema.ts";
import type { Draft } from "@/lib/requests/request-schema.ts";
import { ApiError, api } from "@/lib/web/client/base/client.ts";
import { requestDetail } from "@/lib/web/client/requests.ts";
import { forgetRefused } from "./decision-store.ts";
import {
  type DraftStatus,
  isExplained,
  keptDraft,
  restoredFrom,
  takesOver,
  triesAgain,
  typedAfter,
  typedDraft,
} from "./draft-state.ts";
import type { AnswerForm } from "./fields/use-answer-form.ts";

const DEBOUNCE_MS = 700;
const RETRY_MS = 5_000;
/** Browsers limit the body of a keepalive request to 64 kB. */
const MOST_KEPT_ALIVE = 60_000;

interface DraftState {
  comment: string;
  /** Whether the comment was written here, not restored from another day. */
  explained: boolean;
  setComment: (text: string) => void;
  status: DraftStatus;
  /** Whether a draft was saved since the pane opened. */
  everSaved: boolean;
  /** Saves unsaved changes at once. */
  flush: () => void;
  /** Returns what is typed now, with this comment; null: nothing. */
  typed: (comment: string) => Draft | null;
  /** Deletes the draft, here and on the server. */
  discard: () => void;
  /** Takes back what was typed into the fields; the comment stays. */
  refill: () => void;
}

/**
 * Saves a draft on the server: a moment after the last key, at once when a field loses the focus, and when
 * the page or the pane goes away. A newer draft, from another tab of the same person, fills the fields not
 * typed in here.
 * @param newest the latest draft read from the server.
 */
export function useDraft(
  { id: inputRequestId, questionHash }: { id: string; questionHash: string },
  newest: Draft | null,
  form: Pick<AnswerForm, "watch" | "restore"> & { reset: () => void },
): DraftState {
  const { watch, restore } = form;
  const client = useQueryClient();
  const [comment, setComment] = useState(newest?.comment ?? "");
  const [restored, setRestored] = useState(comment);
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
    // One save at a time, so that an older draft never arrives last.
    if (sending.current) return again(DEBOUNCE_MS);
    if (!waiting.current) return;
    waiting.current = false;
    sending.current = true;
    const { content, comment } = typed.current;
    const draft = { content, comment, questionHash } satisfies DraftInput;
    try {
      const savedAt = await put(inputRequestId, draft);
      known.current = savedAt ?? known.current;
      // The cache gets the draft too: a person who returns to this request finds it before the next read.
      const kept = keptDraft(draft, savedAt);
      client.setQueryData(
        requestDetail(inputRequestId).queryKey,
        (before) => before && { ...before, draft: kept },
      );
      setEverSaved(true);
      if (!waiting.current) setStatus({ kind: kept ? "saved" : "none" });
    } catch (error) {
      // Final is what says that the question is no longer open; the pane says so.
      if (!triesAgain(error instanceof ApiError ? error.status : null)) return setStatus({ kind: "none" });
      waiting.current = true;
      setStatus({ kind: "failed" });
      again(RETRY_MS);
    } finally {
      sending.current = false;
    }
  }, [client, inputRequestId, questionHash]);
  const flush = useCallback(() => void send(), [send]);
  useLeaving(flush);

  const change = useCallback(
    (more: Partial<typeof typed.current>) => {
      typed.current = { ...typed.current, ...more };
      waiting.current = true;
      setStatus(typedAfter);
      clearTimeout(timer.current);
      timer.current = setTimeout(flush, DEBOUNCE_MS);
    },
    [flush],
  );
  useEffect(() => watch((content) => change({ content })), [watch, change]);

  useEffect(() => {
    const unsaved = waiting.current || sending.current;
    if (!takesOver(newest, { savedAt: known.current, unsaved })) return;
    known.current = newest.savedAt;
    const content = restore(newest.content);
    typed.current = { ...typed.current, content };
    if (!typed.current.commentHere) {
      typed.current.comment = newest.comment ?? "";
      setComment(typed.current.comment);
      setRestored(typed.current.comment);
    }
    setStatus(restoredFrom(newest));
  }, [newest, restore]);

  const startAnew = (more: Partial<typeof typed.current>) => {
    form.reset();
    change({ content: {}, ...more });
    flush();
  };
  return {
    comment,
    explained: isExplained(comment, restored),
    setComment: (text) => {
      setComment(text);
      change({ comment: text, commentHere: true });
    },
    status,
    everSaved,
    flush,
    typed: (comment) => typedDraft({ content: typed.current.content, comment }),
    discard: () => {
      // The refused answer would bring back what was typed.
      forgetRefused(inputRequestId);
      setComment("");
      startAnew({ comment: "", commentHere: false });
    },
    refill: () => startAnew({}),
  };
}

/** Whether the draft is saved. A restored draft can be discarded. */
export function DraftLine({ draft }: { draft: DraftState }) {
  const { status } = draft;
  if (status.kind === "restored") {
    return (
      <p className="text-muted text-xs">
        Your draft of <TimeAgo at={status.at} />
        {" · "}
        <Button
          variant="link"
          className="h-auto px-0 text-xs max-md:-my-3 max-md:h-auto max-md:py-3.5"
          onClick={draft.discard}
        >
          Discard
        </Button>
      </p>
    );
  }
  const failed = status.kind === "failed";
  return (
    <p className={failed ? "text-bad text-xs" : "text-muted text-xs"}>
      <span role={failed ? "alert" : undefined}>{STATUS_WORDS[status.kind]}</span>
      {/* Announced once, not after every pause: the text never changes again. */}
      <span role="status" className="sr-only">
        {draft.everSaved && "Your text is kept as a draft"}
      </span>
    </p>
  );
}

const STATUS_WORDS = {
  none: "",
  saving: "Saving draft…",
  saved: "Draft saved",
  failed: "Draft not saved; it is still here. Trying again…",
};

/** Returns when the draft was saved, or null if there is nothing to save. */
async function put(inputRequestId: string, draft: DraftInput): Promise<string | null> {
  const keepalive = JSON.stringify(draft).length < MOST_KEPT_ALIVE;
  const { savedAt } = await api.put<{ savedAt: string | null }>(
    `/api/v1/input-requests/${inputRequestId}/draft`,
    draft,
    { keepalive, headers: { prefer: "return=representation" } },
  );
  return savedAt;
}

/** Calls `leave` when the page is hidden or closed, and when the component unmounts. */
function useLeaving(leave: () => void) {
  useEffect(() => {
    // On a phone a hidden page may be killed without a further event.
    const onHide = () => document.visibilityState === "hidden" && leave();
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onHide);
      leave();
    };
  }, [leave]);
}
