/**
 * Work that belongs to no connection and is done for every organization: notices, rollups, retention. Every engine does
 * it, a turn after the other; a chore itself sees to it that two engines do not do the same (row locks, SKIP LOCKED).
 */
import type { Logger } from "pino";
import { type Database, isDatabaseDown, Prisma } from "../../base/db/db.ts";
import type { Network } from "../../base/network.ts";
import type { Seal } from "../../base/seal.ts";
import { choreFailures, choreSeconds, choresWaiting } from "../../metrics/engine.ts";

export interface JobContext {
  database: Database;
  network: Network;
  seal: Seal;
  log: Logger;
}

export interface Job {
  name: string;
  /** A turn begins this long after the last one ended. */
  everyMs: number;
  /** Which organizations have something to do. */
  organizations(database: Database): Promise<string[]>;
  /** A bounded part of what one organization has to do; true: there is more. Called again at once then. */
  run(context: JobContext, organizationId: string): Promise<boolean>;
  /** Ends what turns have left under way; no turn begins any more. */
  settled?(context: JobContext): Promise<void>;
}

/** For chores that look for themselves whether there is something to do. */
export async function allOrganizations(database: Database): Promise<string[]> {
  const rows = await database.gate<{ id: string }>(Prisma.sql`SELECT id FROM gate.organizations()`);
  return rows.map(({ id }) => id);
}

export class JobRunner {
  #context: JobContext;
  #chores: Job[];
  #timers = new Map<Job, NodeJS.Timeout>();
  #turns = new Set<Promise<void>>();
  #stopping = false;

  constructor(context: JobContext, chores: Job[]) {
    this.#context = context;
    this.#chores = chores;
  }

  start(): void {
    for (const chore of this.#chores) this.#begin(chore);
  }

  /** What is under way ends first; the rest is another engine's, or the next start's. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#turns);
    await Promise.all(this.#chores.map((chore) => chore.settled?.(this.#context)));
  }

  #begin(chore: Job): void {
    const turn = this.#turn(chore).finally(() => {
      this.#turns.delete(turn);
      if (!this.#stopping)
        this.#timers.set(
          chore,
          setTimeout(() => this.#begin(chore), chore.everyMs),
        );
    });
    this.#turns.add(turn);
  }

  /** Owns every error: one organization's trouble is not the others'. */
  async #turn(chore: Job): Promise<void> {
    const took = choreSeconds.startTimer({ chore: chore.name });
    try {
      const organizations = await chore.organizations(this.#context.database);
      for (const [served, organizationId] of organizations.entries()) {
        choresWaiting.set({ chore: chore.name }, organizations.length - served);
        await this.#serve(chore, organizationId).catch((error: unknown) =>
          this.#tell(chore, error, organizationId),
        );
      }
    } catch (error) {
      this.#tell(chore, error);
    } finally {
      choresWaiting.set({ chore: chore.name }, 0);
      took();
    }
  }

  async #serve(chore: Job, organizationId: string): Promise<void> {
    while (!this.#stopping && (await chore.run(this.#context, organizationId)));
  }

  #tell(chore: Job, error: unknown, organizationId?: string): void {
    choreFailures.inc({ chore: chore.name });
    const level = isDatabaseDown(error) ? "warn" : "error";
    this.#context.log[level]({ err: error, chore: chore.name, organizationId }, "a chore failed");
  }
}
