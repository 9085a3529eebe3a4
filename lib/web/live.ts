/**
 * Live hints: one LISTEN connection a web process, handed out to the streams of each organization. The engine's pump
 * sends `{o: organization, c: [[topic, id], …]}` on the channel.
 */
import { z } from "zod";
import { need } from "../env.ts";
import { listen } from "../listen.ts";
import { log } from "../log.ts";

/** One server-sent event, framed once for all who get it. */
export type Frame = Uint8Array;
/** `topic` and `id`: what the frame tells of, e.g. a `member`; `*` when hints may have been missed. */
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
    listen(need("appDatabaseUrl"), "intray_change", {
      onNotification: (payload) => this.#deliver(payload),
      onConnected: () => {
        // What happened meanwhile is unknown: everybody reads everything anew.
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
    for (const [topic, id] of parsed.data.c) {
      const framed = frame(topic, id);
      for (const listener of listeners) listener(framed, topic, id);
    }
  }

  #tellAll(framed: Frame): void {
    for (const listeners of this.#listeners.values())
      for (const listener of listeners) listener(framed, "*", "*");
  }
}

// On globalThis: the development server loads this module again at every change, and the connection must not multiply.
const key = Symbol.for("intray.live");
const shared = globalThis as { [key]?: Hub };

export function subscribe(organizationId: string, listener: Listener): () => void {
  shared[key] ??= new Hub();
  return shared[key].subscribe(organizationId, listener);
}

function frame(topic: string, id: string): Frame {
  return new TextEncoder().encode(`event: change\ndata: ${JSON.stringify({ topic, id })}\n\n`);
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // reported by who asked
  }
}
