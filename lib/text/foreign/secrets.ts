/**
 * Secrets in texts of others, such as tokens in a command or passwords in a file's new lines. Pure. A person decides by what is left, so
 * nothing that is run, fetched, or changed may hide behind a mask: in doubt the text stays.
 */
import { MASK } from "../mask.ts";

/**
 * Tokens that their makers gave a beginning of their own. Not beside a slash or a dot, as in the name of a host, a package or a file;
 * with a capital letter and a figure, which such names have not.
 */
const TOKEN =
  /(?<![\w./@-])(?:gh[pousr]_|github_pat_|glpat-|sk_live_|rk_live_|xox[abeoprs]-|xapp-|dop_v1_|it[aks]_|whsec_|sk-|npm_|hf_|AIza|AKIA|ASIA)(?=[\w-]{0,511}\d)(?=[\w-]{0,511}[A-Z])[\w-]{12,512}(?![\w./@-])/g;
/** A JSON Web Token: three parts, of which the first begins as JSON does. */
const JSON_WEB_TOKEN = /(?<![\w./@-])eyJ[\w-]{8,400}\.[\w-]{8,8192}\.[\w-]{8,2048}(?![\w./@-])/g;
/** Its lines may be escaped, as in JSON. */
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)(?:[A-Za-z0-9+/=\s]|\\[nr]){16,16384}(-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)/g;
/** `Authorization: Bearer …`, `Basic …`. */
const AUTHORIZATION = /(\bauthorization["']?: {0,2}["']?(?:bearer|basic) {1,4})[\w.~+/-]{8,4096}={0,2}/gi;
const AWS_KEY = /(aws_secret_access_key["']? {0,2}[:=] {0,2}["']?)[A-Za-z0-9/+]{40}(?![\w/+])/gi;
/** `https://ana:password@host`. */
const IN_ADDRESS = /(:\/\/[\w.~%-]{0,100}:)[\w.~%!*+-]{3,256}(?=@)/g;

const NAME =
  "(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[\\w-]{0,40}";
/** What no shell reads as more than a part of one word. */
const WORD = "[^\\s'\"`$\\\\;|&<>(){}]";
/** `PASSWORD=…`, and `"apiKey": "…"`. A program stands behind no such sign without a blank. */
const ASSIGNED = new RegExp(
  `(?<![\\w-])([\\w-]{0,40}${NAME})(=["']?|["'] {0,2}: {0,2}["'])(${WORD}{4,512})`,
  "gi",
);
/** `--token …`, `--password=…`. `--secret …` is often the name of a thing, and `--password-file …` of a file. */
const OPTION = new RegExp(
  `(--[\\w-]{0,40}(passw(?:or)?d|passphrase|token|api[_-]?key|access[_-]?key|secret))([= ])(${WORD}{8,512})`,
  "gi",
);

/** The text with masks in place of secrets. */
export function withoutSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, `$1${MASK}$2`)
    .replace(TOKEN, MASK)
    .replace(JSON_WEB_TOKEN, MASK)
    .replace(AUTHORIZATION, `$1${MASK}`)
    .replace(AWS_KEY, `$1${MASK}`)
    .replace(IN_ADDRESS, `$1${MASK}`)
    .replace(OPTION, (all, name: string, word: string, sign: string, value: string) =>
      looksDrawn(value, word.toLowerCase() === "secret") ? `${name}${sign}${MASK}` : all,
    )
    .replace(ASSIGNED, (all, name: string, sign: string, value: string) =>
      isPath(value) || value.startsWith(MASK) ? all : `${name}${sign}${MASK}`,
    );
}

/** Letters and a figure; as names of things seldom have them, small and capital letters, or many. */
function looksDrawn(value: string, mayBeName: boolean): boolean {
  if (isPath(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  return !mayBeName || value.length >= 20 || (/[a-z]/.test(value) && /[A-Z]/.test(value));
}

const isPath = (value: string) => /[/]|^[.~-]/.test(value);

const ONE_WORD = new RegExp(`^${WORD}{1,512}$`);

/** The value with `withoutSecrets` applied to each text in it. Names stay. */
export function valueWithoutSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === "string") return isSecret && ONE_WORD.test(value) ? MASK : withoutSecrets(value);
  if (typeof value === "number") return isSecret ? MASK : value;
  if (Array.isArray(value)) return value.map((inner) => valueWithoutSecrets(inner, isSecret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      valueWithoutSecrets(inner, isSecret || isSecretName(name)),
    ]),
  );
}

const SECRET_NAME =
  /^(?:[\w-]*(?:password|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)|(?:proxy-)?authorization|(?:set-)?cookie)$/i;

function isSecretName(name: string): boolean {
  return name.length <= 60 && SECRET_NAME.test(name);
}
