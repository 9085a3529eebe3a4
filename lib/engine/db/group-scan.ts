/**
 * Groups simultaneous scans of an organization's connections into one transaction. Separate scans were most
 * of the load of an engine with thousands of connections.
 */
import type { Database } from "../../base/db/db.ts";
import { tasksNeedingWork } from "../../lifecycle/engine-task-reads.ts";
import { GATHER_SCANS_MS, SCANS_IN_A_GROUP } from "../tunables.ts";
import { Batcher } from "./batcher.ts";
import { FENCE, fence, LeaseLost, type ServerPause } from "./fence.ts";

export interface Scan {
  connectionId: string;
  epoch: bigint;
  /** Called with the server's state before the scan resolves. */
  see(server: ServerPause): void;
}

interface Waiting {
  scan: Scan;
  resolve(taskIds: string[]): void;
  reject(error: unknown): void;
}

export class GroupScan {
  #database: Database;
  #scans = new Batcher<Waiting>(1, SCANS_IN_A_GROUP, (organizationId, group) =>
    this.#carryOut(organizationId, group),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns ids of the connection's watched tasks that need work now. Throws LeaseLost. */
  run(organizationId: string, scan: Scan): Promise<string[]> {
    return new Promise((resolve, reject) => {
      // Timers of the same moment fire some milliseconds apart.
      setTimeout(() => this.#scans.add(organizationId, { scan, resolve, reject }), GATHER_SCANS_MS);
    });
  }

  /** Never rejects. */
  async #carryOut(organizationId: string, group: Waiting[]): Promise<void> {
    const ids = group.map(({ scan }) => scan.connectionId);
    try {
      const { held, needing } = await this.#database.withOrganization(organizationId, async (tx) => ({
        held: await fence(tx, ids, FENCE.read),
        needing: await tasksNeedingWork(tx, ids),
      }));
      for (const { scan, resolve, reject } of group) {
        const connection = held.get(scan.connectionId);
        if (connection?.epoch !== scan.epoch) reject(new LeaseLost());
        else {
          scan.see(connection);
          resolve(needing.get(scan.connectionId) ?? []);
        }
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
