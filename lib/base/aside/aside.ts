/**
 * Judges in a child process what others have written, wherever a few bytes may cost minutes or all memory: this process goes
 * on meanwhile, and a call that takes too much ends with the child. A thread would not do: one that is out of memory may
 * take the whole process along.
 */
import type { ChildProcess } from "node:child_process";
import { pathToFileURL } from "node:url";
import { onePerProcess } from "../process/process-wide.ts";
import { scope } from "../process/scope.ts";
import { Turns } from "../process/turns.ts";

/** `late`: it took too much time or memory, or its child ended otherwise. `busy`: too many wait, and it was not begun. */
export type Outcome<T> = { done: true; value: T } | { done: false; why: "late" | "busy" };

/**
 * Most calls that wait, of one organization and of all: each holds what is to be judged. An organization's places are
 * shared by the networks that call, so that one of a stranger cannot fill them, and all places by the organizations.
 */
const MOST_WAITING_OF_ONE = 10;
const MOST_WAITING = 100;
const MOST_MEMORY_MB = 256;
/** The longest call, however busy the machine is. */
const MOST_WAIT_MS = 120_000;

// biome-ignore lint/suspicious/noExplicitAny: of any function
type Work = (...args: any[]) => unknown;

/**
 * Returns a function that calls `name` of a module in this process's child for it, one call at a time; organizations take
 * turns, and the networks (`Scope.caller`) within each. `module` is its path from the root. `mostMs` is processor time, so
 * that a busy machine ends nothing. Arguments and values are copied. Rejects if the function throws.
 */
export function aside<F extends Work>(
  module: string,
  name: string,
  mostMs: number,
): (organizationId: string, ...args: Parameters<F>) => Promise<Outcome<Awaited<ReturnType<F>>>> {
  const line = onePerProcess(
    `aside ${module} ${name} ${mostMs}`,
    () => new Line(new Child(module, name, mostMs)),
  );
  return (organizationId, ...args) =>
    line().call(organizationId, args) as Promise<Outcome<Awaited<ReturnType<F>>>>;
}

interface Call {
  args: unknown[];
  resolve(outcome: Outcome<unknown>): void;
  reject(error: unknown): void;
}

/** The calls that wait for a child. */
class Line {
  readonly #child: Child;
  /** By organization, in the order of their turns. */
  readonly #waiting = new Map<string, Turns<Call>>();
  #count = 0;
  #isBusy = false;

  constructor(child: Child) {
    this.#child = child;
  }

  call(organizationId: string, args: unknown[]): Promise<Outcome<unknown>> {
    const own = this.#waiting.get(organizationId) ?? new Turns<Call>(MOST_WAITING_OF_ONE);
    const isFull = this.#count >= MOST_WAITING && own.size < MOST_WAITING_OF_ONE;
    if (isFull && !this.#makeRoom(own.size + 1)) return Promise.resolve(BUSY);
    this.#waiting.set(organizationId, own);
    return new Promise((resolve, reject) => {
      const refused = own.add(scope().caller?.network ?? "", { args, resolve, reject });
      if (refused) refused.resolve(BUSY);
      else this.#count++;
      if (!this.#isBusy) void this.#takeAll();
    });
  }

  /** Refuses the last call of the organization with the most. Returns false if none has more than `count`. */
  #makeRoom(count: number): boolean {
    let most: Turns<Call> | null = null;
    for (const own of this.#waiting.values()) if (own.size > (most?.size ?? count)) most = own;
    const last = most?.drop();
    if (!last) return false;
    last.resolve(BUSY);
    this.#count--;
    return true;
  }

  async #takeAll(): Promise<void> {
    this.#isBusy = true;
    for (let call = this.#next(); call; call = this.#next())
      await this.#child.call(call.args).then(call.resolve, call.reject);
    this.#isBusy = false;
  }

  #next(): Call | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [organizationId, own] = first;
    const call = own.take();
    this.#waiting.delete(organizationId);
    if (own.size > 0) this.#waiting.set(organizationId, own);
    this.#count--;
    return call;
  }
}

const BUSY = { done: false, why: "busy" } as const;

/** What a child says. `ended`: it has ended instead. */
type Said = { ready: true } | { value: unknown } | { failure: string } | { ended: string };

/** Started at the first call, and again after one that it did not survive. */
class Child {
  readonly #args: string[];
  #process: ChildProcess | null = null;

  constructor(module: string, name: string, mostMs: number) {
    this.#args = [pathToFileURL(module).href, name, String(mostMs)];
  }

  async call(args: unknown[]): Promise<Outcome<unknown>> {
    this.#process ??= await this.#start();
    const child = this.#process;
    const said = whatIsSaid(child);
    child.ref();
    child.channel?.ref();
    // A call that waits takes no processor time.
    const limit = setTimeout(() => child.kill("SIGKILL"), MOST_WAIT_MS);
    child.send(args, () => undefined); // one that has ended says so
    const reply = await said;
    clearTimeout(limit);
    child.unref();
    child.channel?.unref();
    if ("value" in reply) return { done: true, value: reply.value };
    if ("failure" in reply) throw new Error(reply.failure);
    return { done: false, why: "late" };
  }

  async #start(): Promise<ChildProcess> {
    // Next's bundler would put the file of a plain `fork` into a bundle.
    const { fork } = process.getBuiltinModule("node:child_process");
    const child = fork("lib/base/aside/child.ts", this.#args, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
      execArgv: [`--max-old-space-size=${MOST_MEMORY_MB}`],
      // No secret of ours.
      env: { NODE_ENV: "production" },
    });
    const said = await whatIsSaid(child);
    if (!("ready" in said)) throw new Error(`No judgement could be made: ${JSON.stringify(said)}`);
    child.once("exit", () => {
      this.#process = null;
    });
    // An idle child does not hold this process.
    child.unref();
    child.channel?.unref();
    (child.stderr as unknown as { unref(): void } | null)?.unref();
    return child;
  }
}

function whatIsSaid(child: ChildProcess): Promise<Said> {
  return new Promise((resolve) => {
    let errors = "";
    child.stderr?.removeAllListeners("data").on("data", (chunk) => {
      errors = `${errors}${chunk}`.slice(-2_000);
    });
    const say = (said: Said) => {
      child.off("message", say).off("exit", end).off("error", fail);
      resolve(said);
    };
    const end = (code: number | null, signal: string | null) => say({ ended: errors || `${signal ?? code}` });
    const fail = (error: Error) => say({ ended: error.message });
    child.once("message", say).once("exit", end).once("error", fail);
  });
}
