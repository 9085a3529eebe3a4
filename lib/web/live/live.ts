/**
 * Live hints: one LISTEN connection per web process, shared by the streams of each organization. The engine's
 * pump sends `{o: organization, c: [[topic, id], …]}` on the channel.
 */
import { z } from "zod";
import { listen } from "../../base/db/listen.ts";
import { need } from "../../base/env.ts";
import { log } from "../../base/log.ts";

/** Server-sent events, framed once for all receivers. */
export type Frame = Uint8Array;
/**
 * `topic` and `id`: the subject of the frame. A `member` or a `notice` is alone in its frame; of other
 * subjects the first is named; `*` when hints may have been missed.
 */
type Listener = (frame: Frame, topic: string, id: string) => void;

const payloadSchema = z.object({ o: z.string(), c: z.array(z.tuple([z.string(), z.string()])) });

class Hub {
  readonly #listeners = new Map<string, Set<Listener>>();
  #started = false;

  /** Calls `listener` for every hint of the organization, until the returned function is called. */
  subscribe(organizationId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(organizationId) ?? new Set();
    this.#listeners.set(organizationId, listeners.add(listener));
    if (!this.#started) {
      this.#started = true;
      this.#connect();
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(organizationId);
    };
  }

  #connect(): void {
    let again = false;
    listen(need("appDirectUrl"), "intray_change", {
      onNotification: (payload) => this.#deliver(payload),
      onConnected: () => {
        // Hints may have been missed meanwhile, so every reader reads everything anew.
        if (again) this.#tellAll(frame("*", "*"));
        again = true;
      },
      onError: (error) => log.warn({ err: error }, "The connection for live hints was lost"),
    });
  }

  #deliver(payload: string): void {
    const parsed = payloadSchema.safeParse(jsonOrNull(payload));
    if (!parsed.success) {
      log.error({ err: parsed.error }, "A live hint could not be read");
      return;
    }
    const listeners = this.#listeners.get(parsed.data.o);
    if (!listeners) return;
    // Hints for everybody share one frame, since each write to each browser costs.
    const [some, all] = partition(parsed.data.c, ([topic]) => topic === "notice" || topic === "member");
    for (const [topic, id] of some) for (const listener of listeners) listener(frame(topic, id), topic, id);
    const [first] = all;
    if (!first) return;
    const framed = Buffer.concat(all.map(([topic, id]) => frame(topic, id)));
    for (const listener of listeners) listener(framed, ...first);
  }

  #tellAll(framed: Frame): void {
    for (const listeners of this.#listeners.values())
      for (const listener of listeners) listener(framed, "*", "*");
  }
}

// On globalThis: each of Next's bundles has a copy of this module, and the connection must not multiply.
const key = Symbol.for("intray.live");
const shared = globalThis as { [key]?: Hub };

export function subscribe(organizationId: string, listener: Listener): () => void {
  shared[key] ??= new Hub();
  return shared[key].subscribe(organizationId, listener);
}

function partition<T>(all: T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function frame(topic: string, id: string): Frame {
  return new TextEncoder().encode(`event: change\ndata: ${JSON.stringify({ topic, id })}\n\n`);
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the caller reports the failure
  }
}
