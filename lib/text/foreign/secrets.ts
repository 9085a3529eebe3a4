/**
 * Secrets in the input of a program's call. Pure. A person decides by what is left, so a mask may hide nothing that is run, fetched,
 * deleted or paid: only a value that is surely a secret is masked, where a secret stands, and never one that the input uses twice. In
 * doubt the text stays.
 */
import { holds, MASK } from "../mask.ts";

/** A place that is masked, as people are told of it. */
export interface Hidden {
  /** The member of the input: `command`, `env.GITHUB_TOKEN`. */
  where: string;
  what: string;
  characters: number;
}

/** With these signs a program may read the value again, as in `echo … | base64 -d | sh`: then all texts stay whole. */
const READS_AGAIN = /[$`|<>()]/;

/** Tokens of known makers, whole: with all their characters and no others. */
const TOKEN = `(?:${[
  "gh[opsur]_[A-Za-z0-9]{36}",
  "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
  "glpat-[\\w-]{20}",
  "[rs]k_live_[A-Za-z0-9]{24,99}",
  "xox[abeoprs]-\\d{10,13}-[A-Za-z0-9-]{20,200}",
  "sk-[A-Za-z0-9]{32,64}",
  "sk-(?:proj|svcacct|admin|ant|or-v1)-[\\w-]{40,200}",
  "npm_[A-Za-z0-9]{36}",
  "hf_[A-Za-z0-9]{34}",
  "AIza[\\w-]{35}",
  "it[aks]_[\\w-]{43}",
  "eyJ[\\w-]{8,400}\\.eyJ[\\w-]{8,8192}\\.[\\w-]{20,2048}",
].join("|")})`;
/** Not beside a slash, a dot or a colon, as in the name of a host, a package or a file. */
const END = "(?![\\w./:@-])";
/** A drawn value: long, and with a figure. Without dots and slashes it is no host and no path. */
const DRAWN = "(?=[A-Za-z_~+-]{0,4096}\\d)[\\w~+-]{16,4096}={0,2}";
/** In small letters or capitals. By classes: V8 was seen to ignore a pattern’s own `(?i:` in a process that had compiled many others. */
const inAnyCase = (words: string) =>
  words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
/** A name of a secret. A `key` alone names rows and entries. It begins with a letter: before it there may be many hyphens. */
const NAME = `(?:\\w[\\w-]{0,39})?(?:${inAnyCase(
  "token|secret|passw(?:or)?d|passphrase|(?:api|access|secret|private)[_-]?key|credentials?|authorization",
)})`;
const SCHEME = `(?:${inAnyCase("bearer|basic|token")}) {1,4}`;

/** A private key in lines of 64 characters. `end`: between them, as in a file or as in JSON. */
const keyWith = (end: string) =>
  `-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----${end}(?<value>(?:[A-Za-z0-9+/]{64}${end}){0,200}[A-Za-z0-9+/]{2,64}={0,2}${end})-----END [A-Z ]{0,30}PRIVATE KEY-----(?:${end})?`;

/** Whether the lines are one DER sequence, as long as its own header says: nothing else fits between them. */
function isKey(lines: string): boolean {
  const der = Buffer.from(lines.replace(/\\r|\\n|\s/g, ""), "base64");
  if (der[0] !== 0x30) return false;
  const [, short = 0, high = 0, low = 0] = der;
  if (short < 0x80) return der.length === 2 + short;
  return short === 0x81 ? der.length === 3 + high : short === 0x82 && der.length === 4 + high * 256 + low;
}

/** Where a name may stand: at the beginning of a line, also of a difference, that goes on none before; before a command; in a header. */
const LINE = "(?<!\\\\\\r?\\n)^[-+ \\t]{0,40}";
const VARIABLE = "[;&] {0,4}|\\b(?:export|env|set) |(?<=\\s)(?:-e|--env)[ =]";
const HEADER = "(?<=\\s)(?:-H|--header)[ =]?[\"']";

/** Where a secret stands in a text. `value`: what is masked; `name`: of the variable, option or member that holds it. */
const PLACES = [
  // In a shell, a line of a key would run.
  {
    what: "private key",
    pattern: new RegExp(`["'](?<name>${NAME})["'] ?: ?["']${keyWith("(?:\\\\r)?\\\\n")}["']`, "dg"),
  },
  // Behind a blank, many programs take another argument, such as the name of a database.
  {
    what: "password",
    // Begins where no value can be read to, so that no place is read from each of many options.
    pattern: /(?<![^\s'";&])--(?:password|passphrase)=["']?(?<value>[^\s'"\\;&{}/]{1,512})(?![^\s'";&])/dg,
  },
  // A line of settings, or the variables before a command: elsewhere it may be an argument, such as the name of a branch.
  {
    what: "token",
    pattern: new RegExp(`(?:${LINE}|${VARIABLE})(?<name>${NAME})=["']?(?<value>${TOKEN})${END}`, "dgm"),
  },
  {
    what: "token",
    pattern: new RegExp(
      `(?:${LINE}|${HEADER})(?<name>${NAME})(?:: {1,2}["']?| = ["'])(?<value>${TOKEN})${END}`,
      "dgm",
    ),
  },
  {
    what: "token",
    pattern: new RegExp(`["'](?<name>${NAME})["'] ?: ?["'](?:${SCHEME})?(?<value>${TOKEN})["']`, "dg"),
  },
  {
    what: "token",
    pattern: new RegExp(`(?<![\\w-])(?<name>--${NAME})[ =]["']?(?<value>${TOKEN})${END}`, "dg"),
  },
  { what: "token", pattern: new RegExp(`://[\\w.~%-]{0,100}:(?<value>${TOKEN})(?=@)`, "dg") },
];

/** More are no input that somebody wrote: it stays whole. */
const MOST_SECRETS = 100;
/** The same of texts, each of which is searched by each pattern; */
const MOST_TEXTS = 5_000;
/** and of characters that are read to find out whether the secrets stand elsewhere too: once for each. */
const MOST_COMPARED = 10_000_000;

interface Secret {
  at: number;
  value: string;
  what: string;
  /** Of the variable, option or member that holds it, if it has one. */
  name: string | undefined;
}

/** Words of a shell in quotation marks, whole. The last one may have no end. */
const IN_QUOTES = /'[^']*(?:'|$)|"[^"]*(?:"|$)/g;
/** With these, shells differ in where a quotation begins. */
const MAY_QUOTE = /\\['"]|[#‘’‚‛“”„]/;
const AUTHORIZATION = new RegExp(
  `^(["'])${inAnyCase("authorization")}: {0,2}${SCHEME}(?<value>${TOKEN}|${DRAWN})\\1$`,
);

/** Headers in quotation marks that a program gets in one piece: without them, a shell makes the value an argument of its own. */
function authorizationsIn(text: string): Secret[] {
  if (MAY_QUOTE.test(text)) return [];
  return [...text.matchAll(IN_QUOTES)].flatMap(({ 0: word, index }) => {
    const { value = "" } = AUTHORIZATION.exec(word)?.groups ?? {};
    const isHeader = /(?:^|\s)(?:-H|--header)[ =]?$/.test(text.slice(Math.max(0, index - 10), index));
    const isWhole = /^(?:\s|$)/.test(text.slice(index + word.length, index + word.length + 1));
    if (value === "" || !isHeader || !isWhole) return [];
    return [{ at: index + word.lastIndexOf(value), value, what: "value of Authorization", name: undefined }];
  });
}

/** No place of a secret is shorter. */
const SHORTEST = "--password=x".length;

/** The secrets in a text, in its order. */
export function secretsIn(text: string): Secret[] {
  if (text.length < SHORTEST || READS_AGAIN.test(text)) return [];
  const found = authorizationsIn(text).slice(0, MOST_SECRETS + 1);
  for (const { what, pattern } of PLACES)
    for (const { groups = {}, indices } of text.matchAll(pattern)) {
      const { name, value = "" } = groups;
      const at = indices?.groups?.value?.[0] ?? 0;
      if (what === "private key" && !isKey(value)) continue;
      const isTaken = found.some((each) => at < each.at + each.value.length && each.at < at + value.length);
      if (!isTaken) found.push({ at, value, what, name });
      if (found.length > MOST_SECRETS) return found;
    }
  return found.sort((one, other) => one.at - other.at);
}

type Json = Record<string, unknown>;

/** The input with masks in place of secrets, and what is said of each. Names of members stay. */
export function withoutSecrets(input: Json): { shown: Json; hidden: Hidden[] } {
  const whole = { shown: input, hidden: [] };
  const read = textsIn(input);
  if (read.length > MOST_TEXTS) return whole;
  const isReadAgain = read.some((text) => READS_AGAIN.test(text));
  const all = masked(input, isReadAgain, new Set());
  if (all.hidden.length > MOST_SECRETS) return whole;
  const texts = textsIn(all.shown).join(BETWEEN);
  const members = membersIn(all.shown).join(BETWEEN);
  if (all.hidden.length * (texts.length + members.length) > MOST_COMPARED) return whole;
  const named = (name: string) => all.hidden.filter((each) => each.name === name && !each.isWhole).length;
  const isUsed = ({ value, name }: Found) =>
    holds(texts, value) ||
    holds(members, value) ||
    (name !== undefined && isMoreOften(texts, name, named(name)));
  const used = new Set(all.hidden.filter(isUsed).map(({ value }) => value));
  const { shown, hidden } = used.size === 0 ? all : masked(input, isReadAgain, used);
  return {
    shown,
    hidden: hidden.map(({ where, what, value }) => ({ where, what, characters: value.length })),
  };
}

/** Between two texts: in no name, and in no secret, which has either no line break or no such character. */
const BETWEEN = "\n\0\n";

/** Whether a word is in a text more than so many times. Stops there. */
function isMoreOften(text: string, word: string, times: number): boolean {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length))
    if (++count > times) return true;
  return false;
}

interface Found extends Omit<Secret, "at"> {
  where: string;
  /** It is all of a member's text, whose name stands in no text. */
  isWhole: boolean;
}

function masked(
  input: Json,
  isReadAgain: boolean,
  used: ReadonlySet<string>,
): { shown: Json; hidden: Found[] } {
  const hidden: Found[] = [];
  const isKeyFile = typeof input.file_path === "string" && /\.(?:key|pem)$/i.test(input.file_path);
  const inText = (text: string, path: string[]): string => {
    const whole =
      secretIn(text, path.at(-1) ?? "") ?? (isKeyFile && path.join() === "content" ? keyIn(text) : null);
    const secrets = whole ? [whole] : isReadAgain ? [] : secretsIn(text);
    let shown = "";
    let from = 0;
    for (const { at, ...secret } of secrets) {
      if (used.has(secret.value)) continue;
      shown += text.slice(from, at) + MASK;
      from = at + secret.value.length;
      hidden.push({ ...secret, where: path.join("."), isWhole: whole !== null });
    }
    return shown + text.slice(from);
  };
  const inValue = (value: unknown, path: string[]): unknown => {
    if (typeof value === "string") return inText(value, path);
    // An element has the name of its list.
    if (Array.isArray(value)) return value.map((inner) => inValue(inner, path));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, inValue(inner, [...path, name])]),
    );
  };
  return { shown: inValue(input, []) as Json, hidden };
}

const IS_NAME = new RegExp(`^${NAME}$`);
const WHOLE = new RegExp(`^(?<value>${TOKEN})$`);
const WHOLE_AUTHORIZATION = new RegExp(`^${SCHEME}(?<value>${DRAWN})$`);

/** A member that is called a secret, and is nothing but one. */
function secretIn(text: string, name: string): Secret | null {
  if (!IS_NAME.test(name)) return null;
  const key = keyIn(text);
  if (key) return { ...key, name };
  const isAuthorization = /authorization$/i.test(name);
  const value = (isAuthorization ? (WHOLE_AUTHORIZATION.exec(text) ?? WHOLE.exec(text)) : WHOLE.exec(text))
    ?.groups?.value;
  return value === undefined ? null : { at: text.length - value.length, value, what: "token", name };
}

const WHOLE_KEY = new RegExp(`^${keyWith("\\r?\\n")}$`, "d");

/** The lines of a text that is a private key, and nothing else. */
function keyIn(text: string): Secret | null {
  const { groups: { value = "" } = {}, indices } = WHOLE_KEY.exec(text) ?? {};
  if (!isKey(value)) return null;
  return { at: indices?.groups?.value?.[0] ?? 0, value, what: "private key", name: undefined };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function membersIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(membersIn)];
}
