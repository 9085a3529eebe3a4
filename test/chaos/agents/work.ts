/** The agents of a run: their credentials, their clients, and what these have written down. */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { rawAgent } from "../../fixtures/agents/raw-agent.ts";
import type { Api } from "../api.ts";
import type { RegisteredServer } from "../population.ts";
import { callUntilAnswered } from "./client.ts";
import type { ClientWork } from "./client-process.ts";
import { isOver, type Note, readNotes } from "./notes.ts";
import { AGENTS, type AgentName, type CallPlan } from "./plan.ts";

interface Credential {
  id: string;
  secret: string;
  /** The name of each server's `process_invoice`, as the agent is told it. */
  invoiceTools: string[];
}

export interface AgentOptions {
  api: Api;
  adminKey: string;
  /** Of the web app. */
  url: string;
  servers: RegisteredServer[];
  calls: CallPlan[];
  /** Where the process of clients finds its work, and writes its notes. */
  files: { work: string; notes: string };
  /** Called when an agent makes a call. */
  onCall(): void;
  /** Ends the run. */
  signal: AbortSignal;
}

class AgentWork {
  readonly calls: CallPlan[];
  readonly ids: Record<AgentName, string>;
  readonly #options: AgentOptions;
  readonly #credentials: Record<AgentName, Credential>;
  readonly #notes: Note[] = [];
  /** How many clients may hang up still, by the call. */
  readonly #impatient = new Map<number, number>();

  constructor(options: AgentOptions, credentials: Record<AgentName, Credential>) {
    this.calls = options.calls;
    this.#options = options;
    this.#credentials = credentials;
    this.ids = { coder: credentials.coder.id, clerk: credentials.clerk.id };
    for (const { at, agents, hangUpsMs } of options.calls)
      if (hangUpsMs.length > 0) this.#impatient.set(at, agents.length);
  }

  /** Writes down the work of the process of clients, which may start then. */
  prepareProcess(): void {
    const calls: ClientWork["calls"] = this.#of("process").map(({ agent, plan }) => ({
      agent,
      secret: this.#credentials[agent].secret,
      tool: this.#toolOf(agent, plan),
      plan,
    }));
    const work: ClientWork = { url: this.#url, beginsAt: Date.now(), calls };
    writeFileSync(this.#options.files.work, JSON.stringify(work), { mode: 0o600 });
  }

  /** Makes the calls of this process. Resolves when each has its result. */
  async callAll(): Promise<void> {
    const { signal } = this.#options;
    const begin = performance.now();
    const calls = this.#of("run").map(async ({ agent, plan }) => {
      await sleep(Math.max(0, plan.startAtMs - (performance.now() - begin)), undefined, { signal });
      const of = { call: plan.at, agent };
      await callUntilAnswered({
        url: this.#url,
        secret: this.#credentials[agent].secret,
        tool: this.#toolOf(agent, plan),
        plan,
        note: (note) => {
          this.#notes.push({ time: new Date().toISOString(), ...of, ...note });
          if (note.what === "called") this.#options.onCall();
        },
        onPatient: () => this.#impatient.set(plan.at, (this.#impatient.get(plan.at) ?? 0) - 1),
        stranger: plan.hasStranger ? this.#credentials[agent === "coder" ? "clerk" : "coder"].secret : null,
        signal,
      });
    });
    await Promise.all(calls);
  }

  /** Whether a client of this call hangs up before its question is answered. */
  isAwaited(call: number): boolean {
    return (this.#impatient.get(call) ?? 0) > 0;
  }

  notes(): Note[] {
    return [...this.#notes, ...readNotes(this.#options.files.notes)];
  }

  /** Whether every client has its result. */
  isDone(): boolean {
    const over = new Set(this.notes().flatMap((note) => (isOver(note) ? `${note.agent} ${note.call}` : [])));
    return this.calls.every(({ at, agents }) => agents.every((agent) => over.has(`${agent} ${at}`)));
  }

  get #url(): string {
    return `${this.#options.url}/mcp`;
  }

  #of(client: CallPlan["client"]): { agent: AgentName; plan: CallPlan }[] {
    return this.calls
      .filter((plan) => plan.client === client)
      .flatMap((plan) => plan.agents.map((agent) => ({ agent, plan })));
  }

  #toolOf(agent: AgentName, { tool, at }: CallPlan): string {
    const { invoiceTools } = this.#credentials[agent];
    return tool === "process_invoice" ? (invoiceTools[at % invoiceTools.length] as string) : tool;
  }
}

/** Makes the agents, each granted `process_invoice` of all servers, while nothing breaks yet. */
export async function prepareAgents(options: AgentOptions): Promise<AgentWork> {
  const coder = await makeAgent(options, "coder");
  const clerk = await makeAgent(options, "clerk");
  return new AgentWork(options, { coder, clerk });
}

async function makeAgent(options: AgentOptions, name: AgentName): Promise<Credential> {
  const { api, adminKey, servers, url, signal } = options;
  const { before, holdMs } = AGENTS[name];
  const grants = servers.map(({ id }) => ({ serverId: id, tool: "process_invoice", before }));
  const { body } = await api.untilStatus("POST", "/agent-credentials", {
    key: adminKey,
    body: { name, holdMs, grants },
  });
  const { answer } = await rawAgent(`${url}/mcp`, body.secret).legacy("tools/list", {}, { signal });
  const tools = answer.result.tools as { name: string; description: string }[];
  const invoiceTools = servers.map(({ name }) => {
    const tool = tools.find(({ description }) => description.endsWith(`(A tool of ${name}.)`));
    if (!tool) throw new Error(`${name} has no tool for agents`);
    return tool.name;
  });
  return { id: body.id, secret: body.secret, invoiceTools };
}
