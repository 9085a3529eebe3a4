/**
 * Group commit for an engine's steps: changes of an organization that arrive during its running commits share
 * a later transaction. A commit takes as long as the disk, and an organization's commits run one after the
 * other, because each locks the head of its history.
 */
import { AsyncResource } from "node:async_hooks";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import type { Database, Tx } from "../../base/db/db.ts";
import { log } from "../../base/log.ts";
import { isUnopened, type TaskWork } from "../../lifecycle/engine-task.ts";
import { type ReadWork, readWorkAtEnd } from "../../lifecycle/engine-task-reads.ts";
import { lockRaces } from "../../lifecycle/races/race-writes.ts";
import { CHANGES_IN_A_GROUP, GROUP_LOCK_MS, GROUPS_AT_ONCE } from "../tunables.ts";
import { Batcher } from "./batcher.ts";
import { type FenceSeen, fenceWithTasks, LeaseLost } from "./fence.ts";

/** A change under a connection's fence. */
export interface Change<T> {
  connectionId: string;
  /** The engine's epoch; null for facts true for any engine, whose `work` checks the expected state. */
  epoch: bigint | null;
  /**
   * The task to lock first, as people's answers, undos and cancels do; null if the change concerns no task.
   */
  taskId: string | null;
  /** Called in the transaction, before `work`. */
  see(server: FenceSeen): void;
  /** Must have no effects outside the transaction, because a failed group runs again. */
  work(tx: Tx): Promise<T>;
  /**
   * Reads the task at the end of the transaction, while the lease is this epoch's. `give` is called after the commit;
   * null: the connection watches the task no more. It is not called where the row can't be parsed, or its content can't
   * be opened.
   */
  read: { epoch: bigint; give(work: TaskWork | null): void } | null;
}

interface Waiting {
  change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A task that is read at the end of a group's transaction. */
interface Read {
  taskId: string;
  connectionId: string;
  give(work: TaskWork | null): void;
}

/** `ends`: called after the commit. `waiting`: changes whose connection, or task, another transaction has locked. */
interface CarriedOut {
  ends: (() => void)[];
  waiting: Waiting[][];
}

export class GroupCommit {
  #database: Database;
  #lockMs: number;
  #changes = new Batcher<Waiting>(GROUPS_AT_ONCE, CHANGES_IN_A_GROUP, (organizationId, group) =>
    this.#settle(organizationId, group),
  );

  /** `lockMs`: the longest wait of a group for one lock, beside those of its fence. */
  constructor(database: Database, lockMs = GROUP_LOCK_MS) {
    this.#database = database;
    this.#lockMs = lockMs;
  }

  /** Resolves once the change is committed. Rejects with LeaseLost, or with the error of `work`. */
  run<T>(organizationId: string, change: Change<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // Log lines and spans of a change must belong to its own caller, not to the group's first.
      const work = AsyncResource.bind((tx: Tx) => change.work(tx));
      this.#changes.add(organizationId, {
        change: { ...change, work },
        resolve: resolve as Waiting["resolve"],
        reject,
      });
    });
  }

  /**
   * Never rejects. If one change fails, or waits too long for a lock, the group is rolled back and carried out without it, and the one
   * is retried alone. `waits`: for connections that another transaction has locked.
   */
  async #settle(organizationId: string, group: Waiting[], waits = group.length === 1): Promise<void> {
    const at: At = { work: null };
    let done: CarriedOut;
    try {
      done = await this.#database.withOrganization(organizationId, (tx) =>
        carryOut(tx, group, { waits, lockMs: this.#lockMs }, at),
      );
    } catch (error) {
      // The commit may have succeeded before the connection broke, so callers must look.
      if (group.length === 1 || isDatabaseDown(error)) for (const { reject } of group) reject(error);
      else for (const part of partsOf(group, at.work)) await this.#settle(organizationId, part);
      return;
    }
    // Committed: nothing from here on may run a change again.
    for (const end of done.ends) end();
    for (const part of done.waiting) await this.#settle(organizationId, part, true);
  }
}

/** The others, then the one that failed; each for itself where nobody knows which one it was. */
function partsOf(group: Waiting[], failed: Waiting | null): Waiting[][] {
  if (failed === null) return group.map((one) => [one]);
  return [group.filter((one) => one !== failed), [failed]];
}

/** How far a group is: the change whose work runs. */
interface At {
  work: Waiting | null;
}

/**
 * Runs the changes of a group and returns what to call after the commit. Locks rows in the order of their
 * ids, so that groups never deadlock. A change that is alone waits for its locks as long as its transaction may take.
 */
async function carryOut(
  tx: Tx,
  group: Waiting[],
  { waits, lockMs }: { waits: boolean; lockMs: number },
  at: At,
): Promise<CarriedOut> {
  at.work = null;
  const isAlone = group.length === 1;
  const changes = group.map(({ change }) => change);
  const { held, locked, raceIds } = await fenceWithTasks(tx, changes, {
    skip: { connections: !waits, tasks: !isAlone },
    lockMs: isAlone ? null : lockMs,
  });
  const holds = ({ connectionId, epoch }: Change<unknown>) =>
    epoch === null || held.get(connectionId)?.epoch === epoch;
  // Races are locked before the history, in the same order as when a task ends.
  await lockRaces(tx, raceIds);
  const ends: (() => void)[] = [];
  const reads: Read[] = [];
  const unheld: Waiting[] = [];
  const alone: Waiting[][] = [];
  for (const one of group) {
    const { change, resolve, reject } = one;
    const connection = held.get(change.connectionId);
    if (!connection && !waits) {
      unheld.push(one);
      continue;
    }
    if (!connection || !holds(change)) {
      ends.push(() => reject(new LeaseLost()));
      continue;
    }
    if (!isAlone && change.taskId !== null && !locked.has(change.taskId)) {
      alone.push([one]);
      continue;
    }
    change.see(connection);
    at.work = one;
    const result = await change.work(tx);
    at.work = null;
    const { taskId, connectionId, read } = change;
    if (read && taskId !== null && connection.epoch === read.epoch)
      reads.push({ taskId, connectionId, give: read.give });
    ends.push(() => resolve(result));
  }
  const waiting = [...Map.groupBy(unheld, ({ change }) => change.connectionId).values(), ...alone];
  if (reads.length === 0) return { ends, waiting };
  const taskIds = reads.map(({ taskId }) => taskId);
  const readWorks = readWorkAtEnd(tx, taskIds);
  return { ends: [() => giveReads(tx.organizationId, reads, readWorks), ...ends], waiting };
}

/** Gives each task its rows. A task without them reads again in its next step, which fails alone if a row can't be parsed. */
function giveReads(organizationId: string, reads: Read[], readWorks: () => ReadWork[]): void {
  const failed = (error: unknown, taskIds: string[]) =>
    log.error({ err: error, organizationId, taskIds }, "a task could not be read after it was written");
  try {
    const stored = new Map(readWorks().map((row) => [row.id, row]));
    for (const { taskId, connectionId, give } of reads)
      try {
        const row = stored.get(taskId);
        const work = row?.connectionId === connectionId ? row.parse() : null;
        if (work === null || !isUnopened(work)) give(work);
      } catch (error) {
        failed(error, [taskId]);
      }
  } catch (error) {
    failed(
      error,
      reads.map(({ taskId }) => taskId),
    );
  }
}
