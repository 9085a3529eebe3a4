"use client";

import { useEffect, useRef, useState } from "react";
import type { ReplayDisagreement, ReplaySummary } from "@/lib/requests/replay/replay-schema.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { replayPolicy } from "@/lib/web/client/settings/policy.ts";

export interface ReplayShown {
  /** The policy that is tried: what is shown is about another one once the draft has changed. */
  of: unknown;
  progress: { done: number; of: number } | null;
  disagreements: ReplayDisagreement[];
  summary: ReplaySummary | null;
  /** Why there is no summary: a sentence, and of a policy that is not valid its problems by their places. */
  failure: { sentence: string; problems: { field: string; message: string }[] } | null;
}

export interface Replay {
  /** Null: nothing was tried, or it was stopped or closed. */
  shown: ReplayShown | null;
  isRunning: boolean;
  start: (policy: unknown) => void;
  stop: () => void;
}

/** Replays a policy, one at a time. It stops with the page. */
export function useReplay(): Replay {
  const [shown, setShown] = useState<ReplayShown | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const stop = () => {
    running.current?.abort();
    setShown(null);
  };
  const start = async (policy: unknown) => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    let latest: ReplayShown = { of: policy, progress: null, disagreements: [], summary: null, failure: null };
    const show = (change: Partial<ReplayShown>) => {
      latest = { ...latest, ...change };
      if (!control.signal.aborted) setShown(latest);
    };
    show({});
    // Shown with the next progress.
    let found: ReplayDisagreement[] = [];
    try {
      for await (const line of replayPolicy(policy, control.signal)) {
        if (line.kind === "disagreement") found.push(line);
        else {
          const disagreements = [...latest.disagreements, ...found];
          found = [];
          show(
            line.kind === "summary"
              ? { summary: line, disagreements }
              : { progress: { done: line.done, of: line.of }, disagreements },
          );
        }
      }
      if (latest.summary === null) show({ failure: BROKE_OFF });
    } catch (error) {
      const problems = error instanceof ApiError ? error.errors : [];
      // Nothing was to be stored: whether the call arrived is of no interest.
      show({ failure: error instanceof ApiError ? { sentence: errorSentence(error), problems } : BROKE_OFF });
    }
  };
  const isRunning = shown !== null && shown.summary === null && shown.failure === null;
  return { shown, isRunning, start: (policy: unknown) => void start(policy), stop };
}

const BROKE_OFF = { sentence: "The test ended early. Try again.", problems: [] };
