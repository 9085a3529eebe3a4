/**
 * Masks what a server knows and people are not told. Two secrets are masked in two places, each where it is known: a task's own id
 * as the task or its question is read (messages.ts, server-messages.ts), and the connection's secrets as the reply of a call is
 * read (wire.ts). A question that a notification announced gets its task's id only in lib/engine/sessions/listener.ts, which masks
 * it there.
 */
import { masked } from "../../text/mask.ts";
import type { CallOptions } from "../peer.ts";

/** Minimum length in logs. Shorter values would mask ordinary words. */
export const IN_LOGS = 6;
/** Minimum length in messages that Intray acts upon, where a wrong match would do harm. */
export const IN_MESSAGES = 16;

/**
 * Returns a function that masks secrets in a server's or command's text. A careless server may quote our
 * credentials in an error, which other people can see. A malicious one can always encode them differently.
 * Ignores values shorter than `minLength`.
 */
export function hiding(values: string[], minLength: number): (text: string) => string {
  const secrets = values
    .filter((value) => value.length >= minLength)
    // as plain text, and as escaped in JSON
    .flatMap((value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])])
    // Longest first, since one secret may be part of another.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce(masked, text);
}

/** Returns a request's credentials, which the response should not repeat. */
export function credentialsIn({ authorization }: Record<string, string>): string[] {
  return authorization === undefined ? [] : [authorization.slice(authorization.indexOf(" ") + 1)];
}

/** Returns a function that masks the call's secrets in texts shown to people. */
export function hidingFor({ secrets }: Pick<CallOptions, "secrets">): (text: string) => string {
  return hiding(secrets?.() ?? [], IN_MESSAGES);
}

/** Copies a JSON value with its texts masked. Field names stay. */
export function hideIn<T>(value: T, hide: (text: string) => string): T {
  if (typeof value === "string") return hide(value) as T;
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hideIn(item, hide)])) as T;
}
