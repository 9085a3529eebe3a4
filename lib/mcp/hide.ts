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
