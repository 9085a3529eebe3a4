/**
 * Steps of an engine commit together: whoever comes while an organization's last changes are being written waits for
 * these, and then all that wait are one transaction. A commit takes as long as the disk does, and an organization's
 * commits are one after the other, since each holds the head of its history.
 */
import { AsyncResource } from "node:async_hooks";
import { type Database, isDatabaseDown, type Tx } from "../../base/db/db.ts";
import { lockRaces } from "../../tasks/races/ending.ts";
import { CHANGES_IN_A_GROUP, GROUPS_AT_ONCE } from "../tunables.ts";
import { LeaseLost } from "../watcher/context.ts";
import { Batcher } from "./batcher.ts";
import { FENCE, type FenceSeen, fence } from "./fence.ts";

/** Under the fence of a connection: nothing is written once another engine has taken over. */
export interface Change<T> {
  connectionId: string;
  /** Null: it is true whoever has the connection by now, and `work` itself expects what it is written to. */
  epoch: bigint | null;
  /** Locked first, as people's answers, undos and cancels do it. Null: it is about no task. */
  taskId: string | null;
  /** Called in the transaction, before `work`. */
  see(server: FenceSeen): void;
  /** Has no effect but the transaction's: it may be done again. */
  work(tx: Tx): Promise<T>;
}

interface Waiting {
  change: Change<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class GroupCommit {
  #database: Database;
  #changes = new Batcher<Waiting>(GROUPS_AT_ONCE, CHANGES_IN_A_GROUP, (organizationId, group) =>
    this.#settle(organizationId, group),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the change is committed. Throws LeaseLost, and what `work` throws. */
  run<T>(organizationId: string, change: Change<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // Log lines and spans of a change belong to its own call, not to that of who began the group.
      const work = AsyncResource.bind((tx: Tx) => change.work(tx));
      this.#changes.add(organizationId, {
        change: { ...change, work },
        resolve: resolve as Waiting["resolve"],
        reject,
      });
    });
  }

  /** Never rejects. Where one change fails the group is undone, and each of it is tried alone. */
  async #settle(organizationId: string, group: Waiting[]): Promise<void> {
    try {
      const ends = await this.#database.withOrganization(organizationId, (tx) =>
        carryOut(organizationId, tx, group),
      );
      for (const end of ends) end();
    } catch (error) {
      // Where the database is gone it may have committed: who asked looks.
      if (group.length === 1 || isDatabaseDown(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await this.#settle(organizationId, [one]);
    }
  }
}

/** What is left to do once it is committed. Locks come in the order of ids: two groups never wait for each other in a circle. */
async function carryOut(organizationId: string, tx: Tx, group: Waiting[]): Promise<(() => void)[]> {
  const connectionIds = [...new Set(group.map(({ change }) => change.connectionId))];
  const held = await fence(organizationId, tx, connectionIds, FENCE.write);
  const holds = ({ connectionId, epoch }: Change<unknown>) =>
    epoch === null || held.get(connectionId)?.epoch === epoch;
  const taskIds = group.flatMap(({ change }) =>
    change.taskId !== null && holds(change) ? [change.taskId] : [],
  );
  if (taskIds.length > 0) {
    const tasks = await tx.$queryRaw<{ raceId: string | null }[]>`SELECT race_id AS "raceId" FROM task
      WHERE organization_id = ${organizationId}::uuid AND id = ANY (${taskIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
    // Before the first line of history too, as the end of any task of theirs locks them.
    await lockRaces(organizationId, tx, tasks);
  }
  const ends: (() => void)[] = [];
  for (const { change, resolve, reject } of group) {
    const connection = held.get(change.connectionId);
    if (!connection || !holds(change)) {
      ends.push(() => reject(new LeaseLost()));
      continue;
    }
    change.see(connection);
    const result = await change.work(tx);
    ends.push(() => resolve(result));
  }
  return ends;
}
