import type { CallOptions } from "../peer.ts";

const MASK = "•••";
/** In what a program says beside the protocol, shorter values would blot out ordinary words. */
export const IN_LOGS = 6;
/** In messages that are acted upon, a value that is no secret must not be mistaken for one. */
export const IN_MESSAGES = 16;

/**
 * Takes secrets out of what a server or its program says, before anything reads it: a server that quotes our credentials
 * in an error would otherwise show them to everybody who may see the error. A server that wants to betray them can
 * always spell them differently; this is for those that are careless. Values shorter than `minLength` are left alone.
 */
export function hiding(values: string[], minLength: number): (text: string) => string {
  const secrets = values
    .filter((value) => value.length >= minLength)
    // As they stand in a text, and as JSON spells them.
    .flatMap((value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])])
    // The longest first: one may be part of another.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/** The credentials of a request, which its answer has no business to repeat. */
export function credentialsIn({ authorization }: Record<string, string>): string[] {
  return authorization === undefined ? [] : [authorization.slice(authorization.indexOf(" ") + 1)];
}

/** For what people see of a server's messages: without the secrets of the call. */
export function hidingFor({ secrets }: Pick<CallOptions, "secrets">): (text: string) => string {
  return hiding(secrets?.() ?? [], IN_MESSAGES);
}

/** A copy of a value out of JSON, with its texts hidden; the names of its fields stay. */
export function hideIn<T>(value: T, hide: (text: string) => string): T {
  if (typeof value === "string") return hide(value) as T;
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hideIn(item, hide)])) as T;
}
