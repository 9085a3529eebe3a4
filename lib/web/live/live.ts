/**
 * Live hints: one LISTEN connection per web process, shared by the streams of each organization. The engine's
 * pump sends `{o: organization, c: [[topic, id], …]}` on the channel.
 */

import { z } from "zod";
import { listen } from "../../base/db/listen.ts";
import { need } from "../../base/env.ts";
import { log } from "../../base/log.ts";
import { onePerProcess } from "../../base/process/process-wide.ts";
import { inScope } from "../../base/process/scope.ts";
import { type Viewers, viewersOf } from "../../tasks/visibility.ts";
import { database } from "../database.ts";

/** Server-sent events, framed once for all receivers. */
export type Frame = Uint8Array;
/** `topic`: of the frame. A `member` is alone in its frame; of other subjects the first is named; `*`: reread all. */
export interface Reader {
  /** The member whose private things the reader may see; null: nobody's. */
  userId: string | null;
  hear(frame: Frame, topic: string): void;
}

/** Hears of changes with the ids of what changed; null: anything may have changed. Asks by itself who may see what. */
export interface Watcher {
  hear(topic: string, id: string | null): void;
}

const payloadSchema = z.object({ o: z.guid(), c: z.array(z.tuple([z.string(), z.guid()])) });
type Hint = [topic: string, id: string];

const ALL_ANEW = frame("*", "*");

class Hub {
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #watchers = new Map<string, Set<Watcher>>();
  #started = false;

  /** Tells `watcher` of every change in the organization, until the returned function is called. */
  watch(organizationId: string, watcher: Watcher): () => void {
    const leave = join(this.#watchers, organizationId, watcher);
    this.#start();
    return leave;
  }

  /** Tells `reader` of what it may see in the organization, until the returned function is called. */
  subscribe(organizationId: string, reader: Reader): () => void {
    const leave = join(this.#readers, organizationId, reader);
    this.#start();
    return leave;
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#connect();
  }

  #connect(): void {
    let again = false;
    const handlers = {
      onNotification: (payload: string) => this.#deliver(payload),
      onConnected: () => {
        // Hints may have been missed meanwhile, so every reader reads everything anew. A watcher may have come before the
        // first connection was there.
        if (again) this.#tellAll(ALL_ANEW);
        for (const watchers of this.#watchers.values())
          for (const watcher of watchers) watcher.hear("*", null);
        again = true;
      },
      onError: (error: unknown) => log.warn({ err: error }, "The connection for live hints was lost"),
    };
    // In no call's scope: the first reader's call ends, and the connection is everybody's.
    inScope({ requestId: null, trace: null }, () => listen(need("appDirectUrl"), "intray_change", handlers));
  }

  #deliver(payload: string): void {
    const parsed = payloadSchema.safeParse(jsonOrNull(payload));
    if (!parsed.success) {
      log.error({ err: parsed.error }, "A live hint could not be read");
      return;
    }
    const { o: organizationId, c: hints } = parsed.data;
    for (const watcher of this.#watchers.get(organizationId) ?? [])
      for (const [topic, id] of hints) watcher.hear(topic, id);
    if (!this.#readers.has(organizationId)) return;
    const forBrowsers = hints.filter(([topic]) => topic !== "agent_call");
    const [ofTasks, others] = partition(
      forBrowsers,
      ([topic]) => topic === "task" || topic === "input_request",
    );
    this.#tellOthers(organizationId, others);
    if (ofTasks.length === 0) return;
    this.#tellOfTasks(organizationId, ofTasks).catch((error: unknown) => {
      log.warn({ err: error }, "Who sees the tasks of live hints could not be read");
      // Each reads anew what they may see.
      for (const reader of this.#readers.get(organizationId) ?? []) reader.hear(ALL_ANEW, "*");
    });
  }

  #tellOthers(organizationId: string, hints: Hint[]): void {
    const [alone, shared] = partition(hints, ([topic]) => topic === "notice" || topic === "member");
    for (const [topic, id] of alone)
      this.#tell(organizationId, [[topic, id]], ({ userId }) => topic !== "notice" || userId === id);
    this.#tell(organizationId, shared, () => true);
  }

  /** A private task's hints reach whom the task is shown to, in frames of their own; an unknown task's reach nobody. */
  async #tellOfTasks(organizationId: string, hints: Hint[]): Promise<void> {
    const idsOf = (wanted: string) => hints.flatMap(([topic, id]) => (topic === wanted ? [id] : []));
    const asked = { taskIds: idsOf("task"), requestIds: idsOf("input_request") };
    const db = await database();
    const viewers: Map<string, Viewers> = await db.withOrganization(organizationId, (tx) =>
      viewersOf(tx, asked),
    );
    const [open, hidden] = partition(hints, ([, id]) => viewers.get(id) === "everybody");
    this.#tell(organizationId, open, () => true);
    for (const hint of hidden) {
      const who = viewers.get(hint[1]);
      if (who && who !== "everybody")
        this.#tell(organizationId, [hint], ({ userId }) => userId !== null && who.has(userId));
    }
  }

  /** Hints for the same readers share one frame, since each write to each browser costs. */
  #tell(organizationId: string, hints: Hint[], reaches: (reader: Reader) => boolean): void {
    const [first] = hints;
    if (!first) return;
    const framed = Buffer.concat(hints.map(([topic, id]) => frame(topic, id)));
    for (const reader of this.#readers.get(organizationId) ?? [])
      if (reaches(reader)) reader.hear(framed, first[0]);
  }

  #tellAll(framed: Frame): void {
    for (const readers of this.#readers.values()) for (const reader of readers) reader.hear(framed, "*");
  }
}

const hub = onePerProcess("live hub", () => new Hub());

export function subscribe(organizationId: string, reader: Reader): () => void {
  return hub().subscribe(organizationId, reader);
}

export function watch(organizationId: string, watcher: Watcher): () => void {
  return hub().watch(organizationId, watcher);
}

/** Adds one to an organization's set, and returns what takes it out again. */
function join<T>(sets: Map<string, Set<T>>, organizationId: string, one: T): () => void {
  const set = sets.get(organizationId) ?? new Set();
  sets.set(organizationId, set.add(one));
  return () => {
    set.delete(one);
    if (set.size === 0 && sets.get(organizationId) === set) sets.delete(organizationId);
  };
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
