/** Intray's HTTP API, as a patient client uses it while the app is killed again and again. */
import { setTimeout as sleep } from "node:timers/promises";

interface Call {
  /** An API key, or the cookie of a person's session. */
  key: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** How long the caller waits for the answer. */
  deadlineMs?: number | undefined;
}

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each caller reads what docs/api.md promises for its call
  body: any;
}

export interface Api {
  /**
   * Makes one try. Returns null without an answer, or for a server error (5xx) or 429: the call's effect is
   * unknown then.
   */
  once(method: string, path: string, call: Call): Promise<Reply | null>;
  /** Tries until an answer comes. Throws on an unexpected status, or when the signal ends the run. */
  untilStatus(method: string, path: string, call: Call, expected?: number[]): Promise<Reply>;
  /** Returns all items of a list. */
  all<T>(path: string, key: string): Promise<T[]>;
}

/** A 404: it never was, or is gone. */
export class Gone extends Error {}

const DEADLINE_MS = 10_000;
const PAUSE_MS = 400;
/** Hundreds of callers that try again at an even pace keep an app that came back from ever catching up. */
const MOST_PAUSE_MS = 8_000;

/** Passes over what is gone, where a run `mayForget`. */
export function unlessGone(mayForget: boolean, error: unknown): void {
  if (!(mayForget && error instanceof Gone)) throw error;
}

function credentialOf(key: string): Record<string, string> {
  if (!key.includes("=")) return { authorization: `Bearer ${key}` };
  return { cookie: key, "sec-fetch-site": "same-origin" };
}

/** `onError` gets the app's error when it answers 500, which it never may. */
export function apiOf(url: string, signal: AbortSignal, onError: (problem: string) => void): Api {
  const once: Api["once"] = async (method, path, { key, body, headers, deadlineMs = DEADLINE_MS }) => {
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...credentialOf(key), "content-type": "application/json", ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      });
      const text = await response.text();
      if (response.status === 500) onError(`${method} ${path}: ${text}`);
      if (response.status === 429 || response.status >= 500) return null;
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    } catch {
      signal.throwIfAborted();
      return null; // the app is down, or went down over this
    }
  };
  const untilStatus: Api["untilStatus"] = async (method, path, call, expected = [200, 201, 202, 204]) => {
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 1.5, MOST_PAUSE_MS)) {
      const reply = await once(method, path, call);
      if (reply && expected.includes(reply.status)) return reply;
      if (reply) {
        const Unexpected = reply.status === 404 ? Gone : Error;
        throw new Unexpected(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      }
      await sleep(pause * (0.5 + Math.random()), undefined, { signal });
    }
  };
  return {
    once,
    untilStatus,
    async all<T>(path: string, key: string): Promise<T[]> {
      const items: T[] = [];
      let cursor: string | null = null;
      do {
        const more: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
        const separator = path.includes("?") ? "&" : "?";
        const { body } = await untilStatus("GET", `${path}${separator}limit=200${more}`, { key });
        items.push(...body.items);
        cursor = body.nextCursor;
      } while (cursor);
      return items;
    },
  };
}
