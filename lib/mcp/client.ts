/** Common parts of both eras' calls: the client's identity, and several requests under one deadline. */
import manifest from "../../package.json" with { type: "json" };
import type { CallOptions } from "./peer.ts";

export const CLIENT_INFO = { name: manifest.name, version: manifest.version };

/**
 * Declares both modes of elicitation and nothing else, so that a server that needs sampling or roots fails
 * instead of waiting forever. Tasks on the client's side (`tasks.requests.elicitation`) are not declared
 * either: they would require this process to live as long as the question.
 */
export const ELICITATION = { elicitation: { form: {}, url: {} } };

export const IDEMPOTENCY_KEY = "intray/idempotency-key";

/** Returns a function that gives each next request the rest of one common deadline. */
export function underOneDeadline(options: CallOptions): () => CallOptions {
  const end = performance.now() + options.deadlineMs;
  return () => ({ ...options, deadlineMs: Math.max(1, end - performance.now()) });
}
