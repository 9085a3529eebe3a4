/** A watcher's looks for what no wake-up told it of: hints are a mere speed-up, and get lost. */
import { tasksNeedingWork, watchedTasks } from "../tasks/work.ts";
import { type Known, readKnown } from "./connection.ts";
import type { TaskEntry, WatcherContext } from "./entry.ts";
import type { Roster } from "./roster.ts";
import type { Trouble } from "./trouble.ts";
import { SCANS_A_LOOK_AROUND } from "./tunables.ts";

interface Surroundings {
  roster: Roster;
  trouble: Trouble;
  /** What the watcher was made with. */
  known: Known;
  /** Takes on tasks that are not watched yet. */
  adopt(taskIds: string[]): Promise<void>;
  renewAccess(): void;
  onOutdated(): void;
}

export class Scans {
  #ctx: WatcherContext;
  #around: Surroundings;
  #known: Known;
  #count = 0;

  constructor(ctx: WatcherContext, around: Surroundings) {
    this.#ctx = ctx;
    this.#around = around;
    this.#known = around.known;
  }

  /** `wantsAll`: hints of whatever kind may have been lost. */
  async look(wantsAll = false): Promise<void> {
    const { organizationId, connectionId } = this.#ctx;
    const { roster, trouble, adopt } = this.#around;
    const ids = await this.#ctx.read((tx) => tasksNeedingWork(organizationId, tx, connectionId));
    const unknown = ids.filter((id) => !roster.has(id));
    if (unknown.length > 0) await adopt(unknown);
    const isTurn = ++this.#count % SCANS_A_LOOK_AROUND === 0;
    if (wantsAll || isTurn || trouble.lasts) await this.#lookAround();
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
    const { roster, adopt, renewAccess, onOutdated } = this.#around;
    const { known, ids } = await this.#ctx.read(async (tx) => ({
      known: await readKnown(organizationId, tx, connectionId),
      ids: await watchedTasks(organizationId, tx, connectionId),
    }));
    const before = this.#known;
    this.#known = known;
    if (known.settings !== before.settings) onOutdated();
    if (known.signedInAt !== before.signedInAt && this.#isInVain()) renewAccess();
    await adopt(ids.filter((id) => !roster.has(id)));
  }

  /** Something fails that a new sign-in may help: where it was told of, nothing does by now. */
  #isInVain(): boolean {
    const { roster, trouble } = this.#around;
    if (trouble.lasts) return true;
    for (const { failures } of roster) if (failures > 0) return true;
    return false;
  }
}

/** One of many starts: its turn comes, and nothing is gained by looking at it before. */
function waitsForPlace({ work, stale, place, due }: TaskEntry): boolean {
  return work.state === "queued" && !stale && place !== -1 && due <= performance.now();
}
