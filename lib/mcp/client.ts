/** What the calls of both eras have in common: who we say we are, and several requests under one deadline. */
import manifest from "../../package.json" with { type: "json" };
import type { CallOptions } from "./peer.ts";

export const CLIENT_INFO = { name: manifest.name, version: manifest.version };

/**
 * Both modes of elicitation and nothing else: a server that would ask for sampling or roots must fail on its side
 * instead of waiting for ever. Tasks on our side (`tasks.requests.elicitation`) are not declared either, since they
 * need this process to live as long as the question.
 */
export const ELICITATION = { elicitation: { form: {}, url: {} } };

export const IDEMPOTENCY_KEY = "intray/idempotency-key";

/** Each call of the returned function gives the options for the next request, with what is left of the deadline. */
export function underOneDeadline(options: CallOptions): () => CallOptions {
  const end = performance.now() + options.deadlineMs;
  return () => ({ ...options, deadlineMs: Math.max(1, end - performance.now()) });
}
