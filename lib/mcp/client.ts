/** Common parts of both eras' calls: the client's identity, and several requests under one deadline. */
import manifest from "../../package.json" with { type: "json" };
import type { CallOptions } from "./peer.ts";

export const CLIENT_INFO = { name: manifest.name, version: manifest.version };

/**
 * Declares both modes of elicitation and nothing else, so that a server that needs sampling or roots fails
 * instead of waiting forever.
 */
export const ELICITATION = { elicitation: { form: {}, url: {} } };

/** 2025-11-25: a server may put its questions as tasks. Declared only in sessions where Intray can keep that (065). */
export const ELICITATION_TASKS = {
  tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
};

export const IDEMPOTENCY_KEY = "intray/idempotency-key";

/** Returns a function that gives each next request the rest of one common deadline. */
export function underOneDeadline(options: CallOptions): () => CallOptions {
  const end = performance.now() + options.deadlineMs;
  return () => ({ ...options, deadlineMs: Math.max(1, end - performance.now()) });
}
