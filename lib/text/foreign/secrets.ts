/**
 * Secrets in the input of a program's call. Pure. A person decides by what is left, so a mask may hide nothing that is run, fetched,
 * deleted or paid: only a value that is surely a secret is masked, where a secret stands, and never one that the input uses twice. In
 * doubt the text stays.
 */
import { MASK } from "../mask.ts";

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
/** A drawn value: long, and with a figure. */
const DRAWN = `(?=[A-Za-z_.~+/-]{0,4096}\\d)[\\w.~+/-]{16,4096}={0,2}${END}`;
const NAME = "(?i:[\\w-]{0,40}(?:token|secret|passw(?:or)?d|passphrase|key|credentials?|authorization))";
const SCHEME = "(?i:bearer|basic|token) {1,4}";

/** Lines of base64, and no word of a command: each has a capital letter. Line ends may be escaped, as in JSON. */
const LINE_END = "(?:\\r?\\n|(?:\\\\r)?\\\\n)";
const KEY_LINE = (most: string) => `(?=[a-z0-9+/]{0,76}[A-Z])[A-Za-z0-9+/]${most}`;
const KEY = `(?=M[CI]|b3BlbnNzaC1rZXk)(?:${KEY_LINE("{64,76}")}${LINE_END}){1,200}(?:${KEY_LINE("{1,76}")}={0,2}${LINE_END})?`;

/** Where a name may stand: at the beginning of a line, also of a difference; before a command; in a header. */
const LINE = "^[-+ \\t]{0,40}";
const VARIABLE = "[;&] {0,4}|\\b(?:export|env|set) |(?<=\\s)(?:-e|--env)[ =]";
const HEADER = "(?<=\\s)(?:-H|--header)[ =]?[\"']";

/** Where a secret stands in a text. `value`: what is masked; `name`: of the variable, option or member that holds it. */
const PLACES = [
  {
    what: "private key",
    pattern: new RegExp(
      `-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----${LINE_END}(?<value>${KEY})-----END [A-Z ]{0,30}PRIVATE KEY-----`,
      "dg",
    ),
  },
  // Behind a blank, many programs take another argument, such as the name of a database.
  {
    what: "password",
    pattern: /(?<![\w-])--(?:password|passphrase)=["']?(?<value>[^\s'"\\;&{}/]{1,512})(?![^\s'";&])/dg,
  },
  {
    what: "value of Authorization",
    pattern: new RegExp(`\\b(?i:authorization)["']?: {0,2}["']?${SCHEME}(?<value>${DRAWN})`, "dg"),
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
    pattern: new RegExp(`["'](?<name>${NAME})["'] ?: ?["'](?<value>${TOKEN})["']`, "dg"),
  },
  {
    what: "token",
    pattern: new RegExp(`(?<![\\w-])(?<name>--${NAME})[ =]["']?(?<value>${TOKEN})${END}`, "dg"),
  },
  { what: "token", pattern: new RegExp(`://[\\w.~%-]{0,100}:(?<value>${TOKEN})(?=@)`, "dg") },
];

/** More are no input that somebody wrote: it stays whole. */
const MOST_SECRETS = 100;

interface Secret {
  at: number;
  value: string;
  what: string;
  /** Of the variable, option or member that holds it, if it has one. */
  name: string | undefined;
}

/** The secrets in a text, in its order. */
export function secretsIn(text: string): Secret[] {
  if (READS_AGAIN.test(text)) return [];
  const found: Secret[] = [];
  for (const { what, pattern } of PLACES)
    for (const { groups = {}, indices } of text.matchAll(pattern)) {
      const { name, value = "" } = groups;
      const at = indices?.groups?.value?.[0] ?? 0;
      const isTaken = found.some((each) => at < each.at + each.value.length && each.at < at + value.length);
      if (!isTaken) found.push({ at, value, what, name });
      if (found.length > MOST_SECRETS) return found;
    }
  return found.sort((one, other) => one.at - other.at);
}

type Json = Record<string, unknown>;

/** The input with masks in place of secrets, and what is said of each. Names of members stay. */
export function withoutSecrets(input: Json): { shown: Json; hidden: Hidden[] } {
  const isReadAgain = textsIn(input).some((text) => READS_AGAIN.test(text));
  const all = masked(input, isReadAgain, new Set());
  if (all.hidden.length > MOST_SECRETS) return { shown: input, hidden: [] };
  const texts = textsIn(all.shown).join(BETWEEN);
  const members = membersIn(all.shown).join(BETWEEN);
  const named = (name: string) => all.hidden.filter((each) => each.name === name && !each.isWhole).length;
  const isUsed = ({ value, name }: Found) =>
    texts.includes(value) ||
    members.includes(value) ||
    // The name stands in front of each such secret, and nowhere else.
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
  const inText = (text: string, path: string[]): string => {
    const whole = secretIn(text, path.at(-1) ?? "");
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
  const isAuthorization = /authorization$/i.test(name);
  const value = (isAuthorization ? (WHOLE_AUTHORIZATION.exec(text) ?? WHOLE.exec(text)) : WHOLE.exec(text))
    ?.groups?.value;
  return value === undefined ? null : { at: text.length - value.length, value, what: "token", name };
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
