/** Secrets in texts of others, such as tokens in a command or passwords in a file's new lines. Pure. */
import { MASK } from "../mask.ts";

/**
 * Tokens that their makers gave a beginning of their own. Only letters, digits and `_-.` are masked: nothing that a shell reads as
 * more than a word can hide behind a mask.
 */
const TOKEN =
  /\b(?:(?:gh[pousr]_|github_pat_|glpat-|sk_live_|rk_live_|xox[abeoprs]-|ya29\.|dop_v1_|ita_|whsec_)[\w.-]{12,512}|sk-[\w-]{20,512}|(?:npm_|hf_|AIza)[A-Za-z0-9]{20,100}|(?:AKIA|ASIA)[A-Z0-9]{12,30})/g;
/** A JSON Web Token: three parts, of which the first begins as JSON does. */
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,400}\.[\w-]{8,8192}\.[\w-]{8,2048}/g;
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[A-Za-z0-9+/=\s]{16,16384}(-----END [A-Z ]{0,30}PRIVATE KEY-----)/g;
/** `Authorization: Bearer …`, `Basic …`. */
const AUTHORIZATION = /\b(bearer|basic)( {1,4})[\w.~+/-]{12,4096}={0,2}/gi;
const AWS_KEY = /(aws_secret_access_key["']? {0,2}[:=] {0,2}["']?)[A-Za-z0-9/+]{40}(?![\w/+])/gi;
/** `https://ana:password@host`. */
const IN_ADDRESS = /(:\/\/[\w.~%-]{0,100}:)[\w.~%!*+-]{3,256}(?=@)/g;
/** `PASSWORD=…`, `"apiKey": "…"`, `--token …`. A value with a slash, such as a path, is no secret here. */
const NAMED =
  /(passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)([\w-]{0,40}["']?(?: {0,2}[:=] {0,2}| )["']?)([\w+.~-]{8,512}={0,2})(?![\w/$(])/gi;

/** The text with masks in place of secrets. What is masked is a word of letters, digits and a few marks, never a part of a command. */
export function withoutSecrets(text: string): string {
  return text
    .replace(PRIVATE_KEY, `$1${MASK}$2`)
    .replace(TOKEN, MASK)
    .replace(JSON_WEB_TOKEN, MASK)
    .replace(AUTHORIZATION, `$1$2${MASK}`)
    .replace(AWS_KEY, `$1${MASK}`)
    .replace(IN_ADDRESS, `$1${MASK}`)
    .replace(NAMED, (all, name: string, between: string, value: string) =>
      isSecret(between, value) ? `${name}${between}${MASK}` : all,
    );
}

/** After a blank alone stands a value only where it looks drawn: `token refresh` and `--password-file settings` are words. */
function isSecret(between: string, value: string): boolean {
  if (/^[.~-]/.test(value)) return false;
  return /[:=]/.test(between) || (/\d/.test(value) && /[A-Za-z]/.test(value));
}

/** The value with `withoutSecrets` applied to each text in it. Names stay. */
export function valueWithoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(valueWithoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === "string" && isSecretName(name) ? MASK : valueWithoutSecrets(inner),
    ]),
  );
}

const SECRET_NAME =
  /^(?:\w*(?:password|passphrase|secret|token|api_?key|access_?key|private_?key)|authorization|cookie)$/i;

function isSecretName(name: string): boolean {
  return name.length <= 60 && SECRET_NAME.test(name);
}
