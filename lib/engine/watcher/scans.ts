/** A watcher's looks for what no wake-up told it of: hints are a mere speed-up, and get lost. */
import { openMessages } from "../../stream-messages/queries.ts";
import type { StreamMessage } from "../../stream-messages/schema.ts";
import { watchedTasks } from "../../task-lifecycle/work.ts";
import { type Known, readKnown } from "../leases/connection.ts";
import { LOOK_AROUND_MS, SLOW_SCAN_MS } from "../tunables.ts";
import type { WatcherContext } from "./context.ts";
import type { Trouble } from "./failure-policy.ts";
import type { Roster } from "./task-index.ts";
import type { TaskEntry } from "./watched-task.ts";

interface Surroundings {
  roster: Roster;
  trouble: Trouble;
  /** Ids of tasks that need something now. */
  scan(): Promise<string[]>;
  /** What the watcher was made with. */
  known: Known;
  /** Takes on tasks that are not watched yet. */
  adopt(taskIds: string[]): Promise<void>;
  renewAccess(): void;
  /** Takes on what came on the connection's streams, whoever stored it. */
  adoptMessages(messages: StreamMessage[]): void;
  onOutdated(): void;
  /** Owns work that nobody waits for. */
  own(work: Promise<unknown>): void;
}

export class Scans {
  #ctx: WatcherContext;
  #around: Surroundings;
  #known: Known;
  #timers: NodeJS.Timeout[] = [];

  constructor(ctx: WatcherContext, around: Surroundings) {
    this.#ctx = ctx;
    this.#around = around;
    this.#known = around.known;
  }

  begin(): void {
    const { own } = this.#around;
    const scan = () => own(this.look());
    this.#every(SLOW_SCAN_MS, timeOf(this.#ctx.organizationId, SLOW_SCAN_MS), scan);
    this.#every(LOOK_AROUND_MS, timeOf(this.#ctx.connectionId, LOOK_AROUND_MS), () =>
      own(this.#lookAround()),
    );
  }

  end(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #every(ms: number, firstInMs: number, work: () => void): void {
    const place = this.#timers.length;
    this.#timers[place] = setTimeout(() => {
      this.#timers[place] = setInterval(work, ms);
      work();
    }, firstInMs);
  }

  /** `wantsAll`: hints of whatever kind may have been lost. */
  async look(wantsAll = false): Promise<void> {
    const { roster, trouble, adopt, scan } = this.#around;
    const ids = await scan();
    const unknown = ids.filter((id) => !roster.has(id));
    if (unknown.length > 0) await adopt(unknown);
    if (wantsAll || trouble.lasts) await this.#lookAround();
    if (this.#ctx.paused || trouble.isOpen) return;
    for (const id of ids) {
      const entry = roster.get(id);
      if (!entry || entry.failures > 0 || waitsForPlace(entry)) continue;
      entry.stale = true;
      this.#ctx.wake(id, 0);
    }
  }

  async #lookAround(): Promise<void> {
    const { organizationId, connectionId } = this.#ctx;
    const { roster, adopt, renewAccess, adoptMessages, onOutdated } = this.#around;
    const { known, ids, messages } = await this.#ctx.read(async (tx) => ({
      known: await readKnown(organizationId, tx, connectionId),
      ids: await watchedTasks(organizationId, tx, connectionId),
      messages: await openMessages(organizationId, tx, [connectionId]),
    }));
    const before = this.#known;
    this.#known = known;
    if (known.settings !== before.settings) onOutdated();
    if (known.signedInAt !== before.signedInAt && this.#isInVain()) renewAccess();
    await adopt(ids.filter((id) => !roster.has(id)));
    adoptMessages(messages);
  }

  /** Something fails that a new sign-in may help: where it was told of, nothing does by now. */
  #isInVain(): boolean {
    const { roster, trouble } = this.#around;
    if (trouble.lasts) return true;
    for (const { failures } of roster) if (failures > 0) return true;
    return false;
  }
}

/**
 * How long it is, in ms, until the time that is this id's: an organization's connections scan at the same time, in one
 * transaction, and different organizations at different times.
 */
function timeOf(id: string, everyMs: number): number {
  const phase = Number.parseInt(id.slice(-8), 16) % everyMs;
  return everyMs - ((Date.now() - phase) % everyMs);
}

/** One of many starts: its turn comes, and nothing is gained by looking at it before. */
function waitsForPlace({ work, stale, place, due }: TaskEntry): boolean {
  return work.state === "queued" && !stale && place !== -1 && due <= performance.now();
}
