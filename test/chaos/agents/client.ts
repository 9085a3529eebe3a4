/** An agent's client, which makes one call until it has the result: however often it is cut off, hangs up, or is put off. */
import { setTimeout as sleep } from "node:timers/promises";
import { IDEMPOTENCY_KEY, TASK_ID } from "../../../lib/lifecycle/agent-calls/agent-call-schema.ts";
import { rawAgent, type Spoken } from "../../fixtures/agents/raw-agent.ts";
import type { NewNote, Told } from "./notes.ts";
import type { CallPlan } from "./plan.ts";

export interface ClientOptions {
  /** Of `/mcp`. */
  url: string;
  secret: string;
  /** The tool as the agent is told that it is called. */
  tool: string;
  plan: CallPlan;
  note(note: NewNote): void;
  /** Called once the client hangs up no more. */
  onPatient(): void;
  /** The secret of another agent, which asks for the task; null: none does. */
  stranger: string | null;
  /** Ends the run. */
  signal: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: a client reads what docs/agents.md promises
type Result = any;
type How = NonNullable<Parameters<ReturnType<typeof rawAgent>["legacy"]>[2]>;

const PAUSE_MS = 400;
const MOST_PAUSE_MS = 8_000;
const POLL_MS = 700;
/** Refusals that say to call again. */
const AGAIN = new Set(["database_unavailable", "database_busy", "content_unavailable", "throttled"]);

/** An answer that no client can go on with. */
class Refused extends Error {}

/** Resolves once the result, or a refusal, is written down. */
export async function callUntilAnswered(options: ClientOptions): Promise<void> {
  try {
    await new AgentClient(options).run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    options.note({ what: "refused", why: error.message });
  }
}

class AgentClient {
  readonly #options: ClientOptions;
  readonly #agent: ReturnType<typeof rawAgent>;
  readonly #hangUpsMs: number[];
  #pauseMs = PAUSE_MS;
  #taskId: string | null = null;
  /** Of the last event of a stream that broke off. */
  #eventId: string | null = null;
  #stranger: Promise<void> | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#agent = rawAgent(options.url, options.secret);
    this.#hangUpsMs = [...options.plan.hangUpsMs];
  }

  async run(): Promise<void> {
    const { style, era } = this.#options.plan;
    if (style === "held") await this.#held();
    else if (era === "2025-11-25") await this.#legacyTask();
    else await this.#modernTask();
    await this.#stranger;
  }

  async #held(): Promise<void> {
    const { comesBack } = this.#options.plan;
    for (;;) {
      if (comesBack === "wait" && this.#taskId !== null && this.#hangUpsMs.length === 0) {
        const own = (await this.#wait(this.#taskId))?.structuredContent?.result;
        if (own) return this.#end(this.#taskId, own);
      } else {
        const result = await this.#call();
        const ended = result?._meta?.[TASK_ID];
        if (ended) return this.#end(ended, result);
        if (result && !result.structuredContent?.taskId) throw new Refused(JSON.stringify(result));
      }
      await this.#rest(POLL_MS);
    }
  }

  async #legacyTask(): Promise<void> {
    const taskId = await this.#makeTask((result) => result.task?.taskId);
    await this.#until((how) => this.#agent.legacy("tasks/get", { taskId }, how));
    this.#end(taskId, await this.#until((how) => this.#agent.legacy("tasks/result", { taskId }, how)));
  }

  async #modernTask(): Promise<void> {
    const taskId = await this.#makeTask((result) => result.taskId);
    // What an agent says in a person's place counts for nothing.
    const accept = { action: "accept", content: { value: "approve" } };
    const inputResponses = {
      "approval-1": accept,
      gate: { action: "accept" },
      question: { action: "accept" },
    };
    await this.#until((how) => this.#modern("tasks/update", { taskId, inputResponses }, how));
    for (;;) {
      const task = await this.#until((how) => this.#modern("tasks/get", { taskId }, how));
      if (task.status === "completed") return this.#end(taskId, task.result);
      if (task.status !== "working") throw new Refused(JSON.stringify(task));
      await this.#rest(POLL_MS);
    }
  }

  async #makeTask(idIn: (result: Result) => string | undefined): Promise<string> {
    for (;;) {
      const result = await this.#call();
      const taskId = result && idIn(result);
      // A client that has hung up never read the answer.
      if (taskId && this.#hangUpsMs.length === 0) return taskId;
      if (result && !taskId) throw new Refused(JSON.stringify(result));
    }
  }

  /** Makes the call, or goes on with the stream of the one before. Null: there was no answer, and some time has passed. */
  async #call(): Promise<Result | null> {
    const { plan, tool, note } = this.#options;
    const eventId = plan.comesBack === "resume" ? this.#eventId : null;
    this.#eventId = null;
    if (eventId !== null) {
      const headers = { "last-event-id": eventId, "mcp-protocol-version": plan.era };
      return this.#answer((how) => this.#agent.send("GET", undefined, { ...how, headers }));
    }
    const params = {
      name: tool,
      arguments: plan.arguments,
      ...(plan.era === "2025-11-25" && plan.style === "task" && { task: {} }),
      _meta: {
        ...(plan.client === "process" && { [IDEMPOTENCY_KEY]: `chaos-${plan.at}` }),
        ...(plan.tellsProgress && { progressToken: plan.at }),
      },
    };
    const calledAt = new Date().toISOString();
    note({ what: "called" });
    const result = await this.#answer((how) => this.#speak("tools/call", params, how), this.#hangUpsMs[0]);
    const { _meta, task, structuredContent } = result ?? {};
    const taskId = _meta?.[TASK_ID] ?? task?.taskId ?? result?.taskId ?? structuredContent?.taskId;
    if (taskId) {
      note({ what: "joined or began", taskId, calledAt });
      this.#taskId = taskId;
      this.#stranger ??= this.#askAsStranger(taskId);
    }
    return result;
  }

  #wait(taskId: string): Promise<Result | null> {
    const params = { name: "wait_for_task", arguments: { taskId } };
    return this.#answer((how) => this.#speak("tools/call", params, how));
  }

  async #askAsStranger(taskId: string): Promise<void> {
    const { stranger, url, signal, note } = this.#options;
    if (stranger === null) return;
    const other = rawAgent(url, stranger);
    for (;;) {
      const params = { name: "get_task", arguments: { taskId } };
      const spoken = await other.legacy("tools/call", params, { signal }).catch(nothingIfCut);
      signal.throwIfAborted();
      if (spoken?.status === 200 && !AGAIN.has(spoken.answer?.error?.data?.code))
        return note({ what: "stranger", taskId, saw: spoken.answer?.error === undefined });
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }

  #end(taskId: string, result: Result): void {
    this.#options.note({ what: "result", taskId, told: toldOf(result) });
  }

  #speak(method: string, params: object, how: How): Promise<Spoken> {
    return this.#options.plan.era === "2026-07-28"
      ? this.#modern(method, params, how)
      : this.#agent.legacy(method, params, how);
  }

  #modern(method: string, params: object, how: How): Promise<Spoken> {
    return this.#agent.modern(method, params, this.#options.plan.style === "task", how);
  }

  async #until(ask: (how: How) => Promise<Spoken>): Promise<Result> {
    for (;;) {
      const result = await this.#answer(ask);
      if (result !== null) return result;
    }
  }

  /**
   * Asks once. Null: the client hung up, was cut off, or was told to call again; then some time has passed. Throws what
   * refuses for good.
   */
  async #answer(ask: (how: How) => Promise<Spoken>, hangUpMs?: number): Promise<Result | null> {
    const { signal, note, plan } = this.#options;
    const hangUp = hangUpMs === undefined ? null : AbortSignal.timeout(hangUpMs);
    const how: How = {
      id: plan.at,
      signal: hangUp ? AbortSignal.any([signal, hangUp]) : signal,
      onEvent: ({ id }) => {
        this.#eventId = id ?? this.#eventId;
      },
    };
    const spoken = await ask(how).catch(nothingIfCut);
    signal.throwIfAborted();
    if (hangUp && (spoken || hangUp.aborted)) {
      this.#hangUpsMs.shift();
      if (this.#hangUpsMs.length === 0) this.#options.onPatient();
    }
    if (!spoken && hangUp?.aborted) {
      note({ what: "hung up" });
      return null;
    }
    // A stream that has ended with an answer has nothing more to say.
    if (spoken?.answer) this.#eventId = null;
    const result = spoken && this.#resultIn(spoken);
    if (result) {
      this.#pauseMs = PAUSE_MS;
      return result;
    }
    note({ what: "cut off" });
    await this.#rest(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, MOST_PAUSE_MS);
    return null;
  }

  #resultIn({ status, answer }: Spoken): Result | null {
    const code = answer?.error?.data?.code;
    const isInternal = status === 500 || code === "internal";
    if (isInternal) this.#options.note({ what: "internal error", problem: JSON.stringify(answer) });
    if (isInternal || status === 429 || status > 500 || AGAIN.has(code)) return null;
    if (answer?.error || status >= 400) throw new Refused(`${status} ${JSON.stringify(answer)}`);
    // A stream that ended without an answer: its client comes back.
    return answer?.result ?? null;
  }

  #rest(ms: number): Promise<void> {
    return sleep(ms * (0.5 + Math.random()), undefined, { signal: this.#options.signal });
  }
}

/** As `fetch` fails where the app is down or goes down, and where the client hangs up. */
function nothingIfCut(error: unknown): null {
  const { name, message } = error as Error;
  const isCut = name === "TypeError" && (message === "fetch failed" || message === "terminated");
  if (isCut || name === "AbortError" || name === "TimeoutError") return null;
  throw error;
}

function toldOf({ content, isError, structuredContent }: Result): Told {
  return {
    isError: isError === true,
    text: content?.[0]?.text ?? "",
    code: structuredContent?.error?.code ?? null,
    outcome: structuredContent?.outcome ?? null,
  };
}
