/** `WWW-Authenticate` (RFC 9110, 11.6.1): challenges of several schemes in one text, as untrusted as their server. */

/** Several headers are one list. */
type Header = string | string[] | undefined;

export interface Challenge {
  /** In lower case, as the names of the parameters. */
  scheme: string;
  parameters: Map<string, string>;
}

/**
 * Returns the challenges in order. A comma separates parameters as well as challenges, so that a word begins a
 * challenge unless a `=` and a value follow it. Also reads what servers write against the grammar: unquoted
 * values that should be quoted (URLs) and parameters without commas between them. Of a repeated parameter the first one counts.
 */
export function challengesIn(header: Header): Challenge[] {
  const found: Challenge[] = [];
  let rest = [header ?? ""].flat().join(", ").slice(0, MOST_CHARACTERS);
  for (;;) {
    const [skipped = "", name] = NAME.exec(rest) ?? [];
    if (name === undefined) return found;
    rest = rest.slice(skipped.length);
    const [read = "", quoted, plain] = VALUE.exec(rest) ?? [];
    rest = rest.slice(read.length);
    if (read === "") {
      found.push({ scheme: name.toLowerCase(), parameters: new Map() });
      rest = rest.replace(TOKEN68, "");
      continue;
    }
    const parameters = found.at(-1)?.parameters;
    const value = quoted?.replace(/\\(.)/gs, "$1") ?? plain ?? "";
    if (parameters && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
}

/** Returns the parameters of the first challenge for an access token that `isWanted` accepts, if there is one. */
export function tokenChallenge(
  header: Header,
  isWanted: (parameters: Map<string, string>) => boolean,
): Map<string, string> | undefined {
  return challengesIn(header)
    .filter(({ scheme }) => scheme === "bearer" || scheme === "dpop")
    .map(({ parameters }) => parameters)
    .find(isWanted);
}

/** Real headers are a tenth of this. */
const MOST_CHARACTERS = 16_384;
const NAME = /^[\s,]*([!#$%&'*+\-.^_`|~\w]+)/;
const VALUE = /^[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"=][^\s,"]*))/s;
/** The one value of schemes without parameters, as in `Negotiate YWJj==`. */
const TOKEN68 = /^[ \t]+[\w\-.~+/]+=*[ \t]*(?=,|$)/;
