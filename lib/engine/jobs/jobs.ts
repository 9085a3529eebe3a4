/**
 * Background jobs that run per organization rather than per connection: notices, statistics, retention. Every
 * engine runs them all; each job prevents duplicate work by row locks (SKIP LOCKED).
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
  /** Pause in ms between the end of one turn and the start of the next. */
  everyMs: number;
  /** Returns the organizations with work to do. */
  organizations(database: Database): Promise<string[]>;
  /** Does a bounded part of an organization's work. Returns true if more is left, which runs at once. */
  run(context: JobContext, organizationId: string): Promise<boolean>;
  /** Ends work that turns have left running. Called on stop, after the last turn. */
  settled?(context: JobContext): Promise<void>;
}

/** Returns all organizations, for jobs that find out themselves whether any work is due. */
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

  /** Waits for running work. The rest is left to other engines, or to the next start. */
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

  /** Handles every error, so that one organization's failure does not affect the others. */
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
