import { type Quirk, readQuirks } from "./quirks/quirks.ts";

/**
 * Settings, all from the environment. An invalid value stops the start: a demo that silently ignores a switch
 * misleads.
 */
export type Config = {
  host: string;
  /** 0 chooses a free port. */
  port: number;
  databaseUrl: string;
  /** Probability that one validation against the ERP reports a mismatch. */
  validationMismatch: number;
  /** Probability that a payment fails for good. */
  insufficientFunds: number;
  /** Probability that one attempt of a payment fails and is retried. */
  gatewayError: number;
  /** Pause before each step, so that people see the invoice move. */
  stepDelayMs: number;
  /** How long a large invoice stays in RECONCILING. */
  reconcileMs: number;
  /** How long a question waits for its answer. */
  answerWithinMs: number;
  /** How long after it was first shown a question changes, if its tool has a changing question. */
  changeAfterMs: number;
  /** Also offers the tools of the conformance suite. */
  fixtures: boolean;
  /** Deliberate misbehaviour, for tests of clients. */
  quirks: ReadonlySet<Quirk>;
};

const DAY_MS = 24 * 60 * 60 * 1000;

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return {
    host: env.INVOICE_HOST || "127.0.0.1",
    port: numberFrom(env, "INVOICE_PORT", { max: 65_535 }),
    databaseUrl: required(env, "INVOICE_DATABASE_URL"),
    validationMismatch: numberFrom(env, "INVOICE_VALIDATION_MISMATCH", { fallback: 0, max: 1 }),
    insufficientFunds: numberFrom(env, "INVOICE_INSUFFICIENT_FUNDS", { fallback: 0, max: 1 }),
    gatewayError: numberFrom(env, "INVOICE_GATEWAY_ERROR", { fallback: 0, max: 1 }),
    stepDelayMs: numberFrom(env, "INVOICE_STEP_DELAY_MS", { fallback: 1000 }),
    reconcileMs: numberFrom(env, "INVOICE_RECONCILE_MS", { fallback: 15_000 }),
    answerWithinMs: numberFrom(env, "INVOICE_ANSWER_WITHIN_MS", { fallback: 5 * DAY_MS }),
    changeAfterMs: numberFrom(env, "INVOICE_CHANGE_AFTER_MS", { fallback: 5000 }),
    fixtures: switchFrom(env, "INVOICE_FIXTURES"),
    quirks: readQuirks(env),
  };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function switchFrom(env: NodeJS.ProcessEnv, name: string): boolean {
  const text = env[name] || "0";
  if (text !== "0" && text !== "1") throw new Error(`${name} is not valid: ${text}`);
  return text === "1";
}

function numberFrom(
  env: NodeJS.ProcessEnv,
  name: string,
  { fallback, max = Number.MAX_SAFE_INTEGER }: { fallback?: number; max?: number },
): number {
  const text = env[name] || fallback?.toString() || required(env, name);
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0 || value > max) throw new Error(`${name} is not valid: ${text}`);
  return value;
}
