/**
 * Background jobs that run per organization rather than per connection: notices, statistics, retention. Every
 * engine runs them all; each job prevents duplicate work by row locks (SKIP LOCKED).
 */
import type { Logger } from "pino";
import { type Database, isDatabaseDown, Prisma } from "../../base/db/db.ts";
import type { Network } from "../../base/network.ts";
import type { Seal } from "../../base/seal.ts";
import { jobFailures, jobSeconds, jobsWaiting } from "../../metrics/engine.ts";

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
export const allOrganizations = (database: Database) =>
  organizationsFrom(database, Prisma.sql`gate.organizations()`);

/** Returns the organizations that a gate function lists. */
export async function organizationsFrom(database: Database, gate: Prisma.Sql): Promise<string[]> {
  const rows = await database.gate<{ id: string }>(Prisma.sql`SELECT id FROM ${gate}`);
  return rows.map(({ id }) => id);
}

export class JobRunner {
  #context: JobContext;
  #jobs: Job[];
  #timers = new Map<Job, NodeJS.Timeout>();
  #turns = new Set<Promise<void>>();
  #stopping = false;

  constructor(context: JobContext, jobs: Job[]) {
    this.#context = context;
    this.#jobs = jobs;
  }

  start(): void {
    for (const job of this.#jobs) this.#begin(job);
  }

  /** Waits for running work. The rest is left to other engines, or to the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#turns);
    await Promise.all(this.#jobs.map((job) => job.settled?.(this.#context)));
  }

  #begin(job: Job): void {
    const turn = this.#turn(job).finally(() => {
      this.#turns.delete(turn);
      if (!this.#stopping)
        this.#timers.set(
          job,
          setTimeout(() => this.#begin(job), job.everyMs),
        );
    });
    this.#turns.add(turn);
  }

  /** Handles every error, so that one organization's failure does not affect the others. */
  async #turn(job: Job): Promise<void> {
    const took = jobSeconds.startTimer({ chore: job.name });
    try {
      const organizations = await job.organizations(this.#context.database);
      for (const [served, organizationId] of organizations.entries()) {
        jobsWaiting.set({ chore: job.name }, organizations.length - served);
        await this.#serve(job, organizationId).catch((error: unknown) =>
          this.#logFailure(job, error, organizationId),
        );
      }
    } catch (error) {
      this.#logFailure(job, error);
    } finally {
      jobsWaiting.set({ chore: job.name }, 0);
      took();
    }
  }

  async #serve(job: Job, organizationId: string): Promise<void> {
    while (!this.#stopping && (await job.run(this.#context, organizationId)));
  }

  #logFailure(job: Job, error: unknown, organizationId?: string): void {
    jobFailures.inc({ chore: job.name });
    const level = isDatabaseDown(error) ? "warn" : "error";
    this.#context.log[level]({ err: error, chore: job.name, organizationId }, "a chore failed");
  }
}
