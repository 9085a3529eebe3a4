/**
 * The calls that this process holds open for agents. A held call is a row in this index and a socket: nothing polls for it.
 * Hints wake it, all calls of a credential are read by one statement, and nothing depends on it: what it waits for is in
 * Postgres, so that a process that dies takes no call with it.
 */

import { isDatabaseDown } from "../../../base/db/database-errors.ts";
import type { Tx } from "../../../base/db/db.ts";
import { AppError } from "../../../base/errors.ts";
import { publishChangeNow } from "../../../base/live-updates.ts";
import { log } from "../../../base/log.ts";
import { drainSignal } from "../../../base/process/lifecycle.ts";
import { inScope } from "../../../base/process/scope.ts";
import { type AgentTaskRow, readSomeAgentTasks } from "../../../lifecycle/agent-calls/agent-call-reads.ts";
import { claimLeave, markSent } from "../../../lifecycle/agent-calls/agent-call-writes.ts";
import { hasEnded } from "../../../tasks/task-status.ts";
import { type AgentCaller, admitAgain } from "../../auth/agent.ts";
import { database } from "../../database.ts";
import { countHeldCall } from "../../http/metrics.ts";
import { watch } from "../../live/live.ts";
import {
  HELD_READ_AGAIN_MS,
  HELD_READ_AT_ONCE,
  HELD_READ_BYTES,
  HELD_READ_MS,
  HELD_RECHECK_MS,
  HELD_SWEEP_MS,
} from "../../tunables.ts";
import { noteFetched } from "./fetched.ts";
import { callName, noteGivenUp } from "./given-up.ts";
import { HeldCounts } from "./held-counts.ts";
import { Outbox } from "./outbox.ts";
import type { HeldStream } from "./stream.ts";

/** What is held: a call of MCP (call.ts), or a program's hook (lib/web/hooks/held-hook.ts). */
export interface Held {
  readonly taskId: string;
  /** By which its client gives it up; null: it can't. */
  readonly name: string | null;
  readonly stream: HeldStream;
  isOver(now: number): boolean;
  /** Whether the call stays open until the task ends, because an unfinished task has no answer. */
  readonly hasNoEnd: boolean;
  /**
   * Judges an ended task once more, in the transaction that claims to tell of it. Only a call whose answer lets a program act has
   * this: the agent must still be allowed to call at that moment.
   */
  judgeLeave?(tx: Tx, task: AgentTaskRow): Promise<void>;
  /** Called again and again while it is held. */
  tick(now: number): void;
  /**
   * Returns the answer, if there is one now: the task has ended, is not there any more, or the time is over. `isFirst`: of calls that
   * give leave, nobody was told before.
   */
  answer(task: AgentTaskRow | null, now: number, isFirst: boolean): object | null;
  /** The answer by what was known last, where the task can't be read now; null: nothing is known yet. */
  answerFromMemory(): object | null;
  /** To a client that has given the call up. */
  givenUp(): object;
  failure(error: unknown): object;
}

/** The calls of one agent, by one secret or sign-in, from one address. */
class Holder {
  readonly caller: AgentCaller;
  readonly #calls = new Map<string, Set<Held>>();
  readonly #unwatch: () => void;
  readonly #emptied: () => void;
  readonly #address: string;
  /** Tasks to be read: those that something was said of go first. */
  #hinted = new Set<string>();
  #wanted = new Set<string>();
  #isReading = false;
  #isChecking = false;
  #readAllAt = 0;
  #checkAt = Date.now() + HELD_RECHECK_MS;
  readonly #outbox = new Outbox();
  /** Tasks that give leave, which this process has claimed to tell of and has not yet: the agent could not be looked up. */
  readonly #claimed = new Set<string>();

  constructor(caller: AgentCaller, address: string, emptied: () => void) {
    this.caller = caller;
    this.#address = address;
    this.#emptied = emptied;
    this.#unwatch = watch(caller.principal.organizationId, {
      hear: (topic, id) => {
        if (id === null) this.#want(this.#calls.keys());
        else if (topic === "task" && this.#calls.has(id)) this.#want([id], this.#hinted);
        else if (topic === "agent_call") this.leave(id);
        else if ((topic === "agent" && id === caller.agent.id) || topic === "member") this.#checkAt = 0;
      },
    });
  }

  add(call: Held): void {
    const calls = this.#calls.get(call.taskId) ?? new Set();
    this.#calls.set(call.taskId, calls.add(call));
    counts.add(this.caller.principal.organizationId, this.caller.agent.id);
    countHeldCall(1);
    // The task may have ended before it was watched.
    this.#want([call.taskId], this.#hinted);
  }

  remove(call: Held): void {
    const calls = this.#calls.get(call.taskId);
    if (!calls?.delete(call)) return;
    counts.remove(this.caller.principal.organizationId, this.caller.agent.id);
    countHeldCall(-1);
    if (calls.size > 0) return;
    this.#calls.delete(call.taskId);
    if (this.#calls.size > 0) return;
    this.#unwatch();
    this.#emptied();
  }

  /** Ends the call that its client has given up, if it is here. The task goes on: a client that stops waiting decides nothing. */
  leave(name: string): boolean {
    const left = this.#all().filter((call) => call.name === name);
    for (const call of left) this.#end(call, call.givenUp(), []);
    return left.length > 0;
  }

  sweep(now: number): void {
    for (const call of this.#all()) {
      if (call.isOver(now)) this.#want([call.taskId]);
      else call.tick(now);
    }
    if (now >= this.#readAllAt) {
      this.#readAllAt = now + HELD_READ_MS;
      this.#want(this.#calls.keys());
    }
    if (now >= this.#checkAt) void this.#check(now);
  }

  /** Answers all calls with what is known: the process ends, and the client goes on elsewhere. */
  drain(): void {
    for (const call of this.#all()) {
      const answer = call.answerFromMemory();
      if (answer && !call.hasNoEnd) this.#end(call, answer, []);
      else {
        this.remove(call);
        call.stream.leave();
      }
    }
  }

  #all(): Held[] {
    return [...this.#calls.values()].flatMap((calls) => [...calls]);
  }

  #want(ids: Iterable<string>, among = this.#wanted): void {
    for (const id of ids) among.add(id);
    if (!this.#isReading && among.size > 0) void this.#read();
  }

  /** Reads what was hinted at meanwhile, all of it at a time, until there is nothing more. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#hinted.size + this.#wanted.size > 0) {
      await this.#outbox.room();
      // A look at all calls takes many statements: one that has its answer does not wait for the rest of them.
      const among = this.#hinted.size > 0 ? this.#hinted : this.#wanted;
      const ids = [...among].slice(0, HELD_READ_AT_ONCE);
      for (const id of ids) {
        this.#hinted.delete(id);
        this.#wanted.delete(id);
      }
      try {
        const { tasks, left, untold } = await this.#tasks(ids);
        for (const id of untold) this.#claimed.add(id);
        // After the read: what people decided once the agent was revoked is not told.
        const refused = untold.length > 0 ? await refusalOf(this.caller, this.#address) : null;
        if (refused) {
          this.#refuseAll(refused);
          continue;
        }
        const now = Date.now();
        for (const id of ids) {
          if (left.includes(id)) this.#hinted.add(id);
          else this.#settle(this.#calls.get(id), tasks.get(id) ?? null, now, this.#claimed.delete(id));
        }
      } catch (error) {
        log.warn({ err: error }, "The tasks of held calls could not be read");
        this.#answerFromMemory(ids);
        await new Promise((resolve) => setTimeout(resolve, HELD_READ_AGAIN_MS));
        for (const id of ids) if (this.#calls.has(id)) this.#wanted.add(id);
      }
    }
    this.#isReading = false;
  }

  #givesLeave(id: string): boolean {
    return [...(this.#calls.get(id) ?? [])].some((call) => call.judgeLeave);
  }

  /** That a result is sent is stored before its first byte leaves. `untold`: tasks that give leave, of which nobody was told before. */
  async #tasks(
    ids: string[],
  ): Promise<{ tasks: Map<string, AgentTaskRow>; left: string[]; untold: string[] }> {
    const { principal } = this.caller;
    const { organizationId } = principal;
    const db = await database();
    return db.withOrganization(organizationId, async (tx) => {
      const read = await readSomeAgentTasks(tx, principal, { ids, bytes: HELD_READ_BYTES });
      const ended = [...read.tasks.values()]
        .filter(({ state, unopened }) => hasEnded(state) && !unopened)
        .map(({ id }) => id);
      const { leaves = [], results = [] } = Object.groupBy(ended, (id) =>
        this.#givesLeave(id) ? "leaves" : "results",
      );
      if (results.length > 0) await markSent(tx, results);
      const claimed = leaves.length > 0 ? await claimLeave(tx, leaves) : [];
      const untold = [...claimed, ...leaves.filter((id) => this.#claimed.has(id))];
      for (const id of untold)
        for (const call of this.#calls.get(id) ?? []) await call.judgeLeave?.(tx, read.tasks.get(id)!);
      return { ...read, untold };
    });
  }

  #settle(calls: Set<Held> | undefined, task: AgentTaskRow | null, now: number, isUntold: boolean): void {
    const results = task && hasEnded(task.state) && !task.unopened ? [task.id] : [];
    for (const [at, call] of [...(calls ?? [])].entries()) {
      const answer = call.answer(task, now, isUntold && at === 0);
      if (answer) this.#end(call, answer, results);
    }
  }

  /** A call whose time is over is answered by what is known: a failure would have the agent call again. */
  #answerFromMemory(ids: string[]): void {
    const now = Date.now();
    for (const call of ids.flatMap((id) => [...(this.#calls.get(id) ?? [])])) {
      const answer = call.isOver(now) ? call.answerFromMemory() : null;
      if (answer) this.#end(call, answer, []);
    }
  }

  #end(call: Held, answer: object, results: string[]): void {
    this.remove(call);
    // The official package goes on with a stream that ends with an error, and throws away what it gets there.
    if ("error" in answer && call.name !== null) noteGivenUp(call.name);
    const { organizationId } = this.caller.principal;
    this.#outbox.send((read) => call.stream.end(answer, () => noteFetched(organizationId, results), read));
  }

  /** Ends the calls of an agent that is none any more. */
  async #check(now: number): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#checkAt = now + HELD_RECHECK_MS;
    try {
      const refused = await refusalOf(this.caller, this.#address);
      if (refused) this.#refuseAll(refused);
    } catch (error) {
      // While the database is down or busy nothing can be told either, so the calls stay open.
      if (!isDatabaseDown(error) && !(error instanceof AppError))
        log.error({ err: error }, "The credential of held calls could not be checked");
    } finally {
      this.#isChecking = false;
    }
  }

  #refuseAll(refused: AppError): void {
    const calls = this.#all();
    const { organizationId, actor } = this.caller.principal;
    log.info(
      { organizationId, agentId: actor.id, code: refused.code, calls: calls.length },
      "held calls of an agent were ended",
    );
    for (const call of calls) this.#end(call, call.failure(refused), []);
  }
}

/** Why the agent is none any more; null: it is one. */
export async function refusalOf(caller: AgentCaller, address: string): Promise<AppError | null> {
  try {
    const now = await admitAgain(caller, address);
    return now ? null : new AppError("unauthenticated", "This agent was revoked, or its secret replaced.");
  } catch (error) {
    // A busy database says nothing of the agent.
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

const holders = new Map<string, Holder>();
const counts = new HeldCounts();
let sweeping: NodeJS.Timeout | null = null;

/**
 * Holds a call open for an agent at an address. Returns what to do when the client leaves: it is no call of ours then any
 * more, and its task goes on.
 */
export function hold(caller: AgentCaller, address: string, call: Held): () => void {
  const { id, signInId, secretHash } = caller.agent;
  // Another sign-in of the same agent ends by itself, as does an earlier secret.
  const key = `${caller.principal.organizationId} ${id} ${signInId ?? secretHash} ${address}`;
  const holder = holders.get(key) ?? newHolder(key, caller, address);
  inScope({ requestId: null, trace: null }, () => holder.add(call));
  return () => holder.remove(call);
}

function newHolder(key: string, caller: AgentCaller, address: string): Holder {
  const holder: Holder = new Holder(caller, address, () => {
    if (holders.get(key) === holder) holders.delete(key);
    if (holders.size > 0 || !sweeping) return;
    clearInterval(sweeping);
    sweeping = null;
  });
  holders.set(key, holder);
  if (!sweeping) {
    sweeping = setInterval(sweep, HELD_SWEEP_MS);
    drainSignal().addEventListener("abort", drain, { once: true });
  }
  return holder;
}

function sweep(): void {
  const now = Date.now();
  for (const holder of holders.values()) holder.sweep(now);
}

function drain(): void {
  for (const holder of [...holders.values()]) holder.drain();
}

/** What was begun goes on, and the same call joins it. Throws `throttled`. */
export function refuseTooMany({ principal, agent }: AgentCaller): void {
  const refusal = counts.refusal(principal.organizationId, agent.id);
  if (refusal !== null) throw new AppError("throttled", refusal, { retryAfterMs: HELD_READ_MS });
}

/** Ends the held call of an agent that its client has given up, in whichever process it is held. */
export async function leaveCall(caller: AgentCaller, session: string, rpcId: string | number): Promise<void> {
  const name = callName(session, rpcId);
  noteGivenUp(name);
  const own = [...holders.values()].filter((holder) => holder.caller.agent.id === caller.agent.id);
  if (own.map((holder) => holder.leave(name)).includes(true)) return;
  const { organizationId } = caller.principal;
  const db = await database();
  await db.withOrganization(organizationId, (tx) => publishChangeNow(tx, "agent_call", [name]));
}
