/** How a watcher reads and writes: under the fence of its lease. Each look at the connection also shows whether its server is paused. */

import type { Logger } from "pino";
import type { Database, Prisma, Tx } from "../../base/db/db.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import type { TaskWork, UnopenedWork } from "../../lifecycle/engine-task.ts";
import { loadWorkBeside } from "../../lifecycle/engine-task-reads.ts";
import { readVersion } from "../../servers/recipes/recipe-reads.ts";
import type { Recipe } from "../../servers/recipes/recipe-schema.ts";
import { FENCE, type FenceSeen, fence, fenceSeen, LeaseLost, type ServerPause } from "../db/fence.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { GroupScan } from "../db/group-scan.ts";
import type { ConnectionRow } from "../leases/takeover.ts";

export interface WatcherDatabaseOptions {
  database: Database;
  /** Commits the changes of steps in groups. */
  groups: GroupCommit;
  scans: GroupScan;
  connection: ConnectionRow;
  epoch: bigint;
  /**
   * Returns whether the last heartbeat is fresh at this time of the database's clock, in ms. If not,
   * `mayChange` waits for the next one.
   */
  isInTime(at: number): boolean;
}

export interface WatcherOptions extends WatcherDatabaseOptions {
  network: Network;
  seal: Seal;
  log: Logger;
  /** Resolves when a change may begin, which takes a fresh heartbeat. Rejects with LeaseLost. */
  mayChange(): Promise<void>;
  /** Called when the lease is lost: the engine drops this watcher. */
  onLeaseLost(): void;
  /** Called when the connection's settings have changed: the engine takes the connection anew. */
  onOutdated(): void;
}

export class WatcherDatabase {
  #options: WatcherDatabaseOptions & { onPause(server: ServerPause): void };
  #inTime = true;
  /** Recipes of this server that its tasks were started with, by name and version. */
  #recipes = new Map<string, Recipe>();

  constructor(options: WatcherDatabaseOptions & { onPause(server: ServerPause): void }) {
    this.#options = options;
  }

  /** The last heartbeat was fresh by the database's clock at the last transaction. */
  get inTime(): boolean {
    return this.#inTime;
  }

  /**
   * Runs a change in a group commit. Throws LeaseLost if `epoch` is given and another engine has taken over.
   */
  change<T>(
    work: (tx: Tx) => Promise<T>,
    taskId: string | null,
    epoch: bigint | null,
    read?: (work: TaskWork | null) => void,
  ): Promise<T> {
    return this.#options.groups.run(this.#options.connection.organizationId, {
      connectionId: this.#options.connection.connectionId,
      epoch,
      taskId,
      see: (server) => {
        this.#options.onPause(server);
        this.#inTime = this.#options.isInTime(server.at);
      },
      work,
      read: read ? { epoch: this.#options.epoch, give: read } : null,
    });
  }

  scan(): Promise<string[]> {
    const { scans, epoch } = this.#options;
    const { connectionId } = this.#options.connection;
    return scans.run(this.#options.connection.organizationId, {
      connectionId,
      epoch,
      see: (server) => this.#options.onPause(server),
    });
  }

  load(taskIds: string[]): Promise<(TaskWork | UnopenedWork)[]> {
    const { organizationId, connectionId } = this.#options.connection;
    return this.#options.database.withOrganization(organizationId, async (tx) => {
      const seen = fenceSeen(organizationId, connectionId);
      const { beside, works } = await loadWorkBeside<FenceSeen & { epoch: bigint }>(
        tx,
        seen,
        connectionId,
        taskIds,
      );
      if (beside?.epoch !== this.#options.epoch) throw new LeaseLost();
      this.#options.onPause(beside);
      return works;
    });
  }

  fenced<T>(work: (tx: Tx) => Promise<T>, lock: Prisma.Sql): Promise<T> {
    return this.#options.database.withOrganization(this.#options.connection.organizationId, async (tx) => {
      const held = (await fence(tx, [this.#options.connection.connectionId], lock)).get(
        this.#options.connection.connectionId,
      );
      if (held?.epoch !== this.#options.epoch) throw new LeaseLost();
      this.#options.onPause(held);
      return work(tx);
    });
  }

  /** Returns a recipe of the server in this version, which never changes: read once. */
  async recipe(name: string, version: number): Promise<Recipe> {
    const key = `${name} ${version}`;
    const known = this.#recipes.get(key);
    if (known) return known;
    const { serverId } = this.#options.connection;
    const read = await this.fenced((tx) => readVersion(tx, { serverId, name, version }), FENCE.read);
    // The foreign key of the task names it.
    if (!read) throw new Error(`the recipe ${key} of the server ${serverId} is not there`);
    this.#recipes.set(key, read);
    return read;
  }
}
