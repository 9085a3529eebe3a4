import type { StepUp } from "@/lib/people/accounts/account-schema.ts";
import { isRecord } from "@/lib/text/json.ts";
import { noteConnection } from "@/lib/web/client/connection.ts";

/**
 * Nobody is at the page after this long without a touch: what the page then reads by itself keeps no session alive. People read
 * longer than this without touching anything; the next touch keeps the session as before.
 */
const UNATTENDED_AFTER_MS = 60_000;

let usedAt = Date.now();

const note = () => {
  usedAt = Date.now();
};
if (typeof window !== "undefined")
  for (const event of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"])
    window.addEventListener(event, note, { passive: true, capture: true });

const isUnattended = (): boolean => Date.now() - usedAt > UNATTENDED_AFTER_MS;

/** An error as the API's problem+json describes it; `code` is stable, the texts are for people. */
export class ApiError extends Error {
  readonly code: string;
  readonly title: string;
  readonly detail: string | null;
  readonly status: number;
  readonly requestId: string | null;
  readonly errors: { field: string; message: string }[];
  /** All other fields of the problem, e.g. `by` and `at` of `already_answered`. */
  readonly extra: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    const title = typeof body.title === "string" ? body.title : "Something went wrong";
    super(title);
    this.name = "ApiError";
    this.status = status;
    this.title = title;
    this.code = typeof body.code === "string" ? body.code : `http_${status}`;
    this.detail = typeof body.detail === "string" ? body.detail : null;
    this.requestId = typeof body.requestId === "string" ? body.requestId : null;
    this.errors = Array.isArray(body.errors) ? body.errors.filter(isFieldError) : [];
    this.extra = body;
  }

  /** Whether a write's outcome is unknown. */
  get isUnknown(): boolean {
    return this.code === "database_unavailable";
  }

  /** The text to show, always a whole sentence, since others may follow. */
  get sentence(): string {
    return this.detail ?? `${this.title}.`;
  }
}

/** No answer came. `sent`: false = the request never left the browser; null = its arrival is unknown. */
export class ConnectionError extends Error {
  readonly sent: false | null;

  constructor(sent: false | null, options?: ErrorOptions) {
    super("No answer came", options);
    this.name = "ConnectionError";
    this.sent = sent;
  }
}

/** The sentence to show for any failed call. */
export function errorSentence(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.status === 401)
      return "You were signed out. Nothing was sent, and what you typed is still here: sign in again, then repeat it.";
    return error.sentence;
  }
  if (error instanceof ConnectionError && error.sent === null)
    return "The connection broke before Intray answered. Your change may or may not have arrived. What you typed is still here. Look again once the connection is back.";
  return "There is no connection to Intray. Nothing was sent, and what you typed is still here. Try again when the connection is back.";
}

export const api = {
  get: <T>(path: string, signal?: AbortSignal) => call<T>("GET", path, undefined, signal ? { signal } : {}),
  post: <T>(path: string, body?: unknown, headers?: Record<string, string>) =>
    call<T>("POST", path, body ?? {}, headers ? { headers } : {}),
  /** `keepalive`: the request survives the closing of the page; for bodies below 64 kB. */
  put: <T>(
    path: string,
    body: unknown,
    options: { keepalive?: boolean; headers?: Record<string, string> } = {},
  ) => call<T>("PUT", path, body, options),
  patch: <T>(path: string, body: unknown) => call<T>("PATCH", path, body),
  delete: <T>(path: string, body: unknown = {}) => call<T>("DELETE", path, body),
  /** Yields the lines of an answer of JSON lines as they come. */
  lines: <T>(path: string, body: unknown, signal: AbortSignal) => linesOf<T>(path, body, signal),
};

let organization: string | undefined;

/**
 * Sets the organization that the page was rendered for; the API refuses its calls once the session works in
 * another one.
 */
export function speakFor(organizationId: string) {
  organization = organizationId;
}

/** Whether the page speaks for whom something was rendered. */
export const speaksFor = (drawnFor: unknown): boolean => organization === drawnFor;

/** `?a=1&b=2` of the values that are set. */
export function query(values: Record<string, string | number | null | undefined>): string {
  const set = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
  return text ? `?${text}` : "";
}

interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  keepalive?: boolean;
}

async function call<T>(method: string, path: string, body: unknown, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, body, options);
  const text = await response.text();
  const parsed: unknown = text ? safeParse(text) : undefined;
  noteAnswer(path, response, parsed);
  if (response.ok) return parsed as T;
  if (await isShown(parsed)) return call<T>(method, path, body, options);
  throw refusalOf(response, parsed);
}

async function* linesOf<T>(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<T, void> {
  const response = await send("POST", path, body, { signal });
  if (!response.ok || !response.body) {
    const parsed = safeParse(await response.text());
    noteAnswer(path, response, parsed);
    throw refusalOf(response, parsed);
  }
  let rest = "";
  try {
    for await (const piece of textOf(response.body)) {
      const lines = `${rest}${piece}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as T;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ConnectionError(null, { cause: error });
  }
}

/** Safari can't go along a stream by itself. */
async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function send(method: string, path: string, body: unknown, options: CallOptions): Promise<Response> {
  const writes = method !== "GET";
  // Offline, a write is refused at once: it must never wait in the browser and be sent later.
  if (writes && !navigator.onLine) throw new ConnectionError(false);
  return fetch(path, {
    method,
    headers: {
      accept: "application/json",
      ...(organization && { "x-intray-organization": organization }),
      ...(isUnattended() && { "x-intray-unattended": "1" }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.keepalive ? { keepalive: true } : {}),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    noteConnection({ reached: "no" });
    throw new ConnectionError(writes ? null : false, { cause: error });
  });
}

function noteAnswer(path: string, { status }: Response, parsed: unknown): void {
  if (!path.startsWith("/api/v1/")) return;
  const away = status === 503 && isRecord(parsed) && parsed.code === "database_unavailable";
  noteConnection({
    reached: away ? "database" : "yes",
    ...(!away && { signedOut: status === 401 }),
  });
}

/** Whether a refused call may be made again, since the person has shown that it is them. */
async function isShown(parsed: unknown): Promise<boolean> {
  return isRecord(parsed) && parsed.code === "step_up_required" && (await askFactor());
}

function refusalOf({ status }: Response, parsed: unknown): ApiError {
  const problem = isRecord(parsed) ? parsed : {};
  if (problem.code === "organization_changed") window.dispatchEvent(new Event("intray:moved"));
  return new ApiError(status, problem);
}

/** Asks the person, by the page's dialog (components/shell/session/step-up.tsx), to show that it is them. */
function askFactor(): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = new CustomEvent("intray:step-up", { detail: resolve, cancelable: true });
    if (window.dispatchEvent(asked)) resolve(false);
  });
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFieldError(value: unknown): value is { field: string; message: string } {
  return isRecord(value) && typeof value.field === "string" && typeof value.message === "string";
}

/**
 * Has the browser download a file whose call asks for a factor. The browser downloads by itself, so that nothing of it
 * can ask on the way: the person is asked before.
 */
export async function downloadAsPerson(path: string): Promise<void> {
  const { fresh } = await api.get<StepUp>("/api/v1/me/step-up");
  if (fresh || (await askFactor())) window.location.assign(path);
}

/**
 * A new `Idempotency-Key`. Used instead of `crypto.randomUUID`, which needs a secure context: plain-http addresses
 * in an office are none.
 */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
