/** The facts at the end of a run: Intray's account of every task, and the samples' ledgers. */
import { readLedger } from "../fixtures/sample-ledger.ts";
import type { Api } from "./api.ts";
import type { Keys, Sample } from "./installation.ts";
import { invoiceNamedIn, type QuestionName, questionIn } from "./invoices.ts";

interface AnswerFact {
  action: string;
  content: Record<string, unknown> | null;
  at: string;
  /** What people read: `Approved`. */
  words: string;
  by: { kind: string; name: string };
}

export interface RequestFact {
  id: string;
  state: string;
  question: QuestionName;
  /** The number of the invoice that the question names. */
  names: number | null;
  answer: AnswerFact | null;
  delivery: {
    state: string;
    deliverAfter: string;
    flagged: boolean;
    /** People read that nobody knows whether the server got the answer. */
    inDoubt: boolean;
    error: string | null;
  } | null;
  endedReason: string | null;
  /** The types of its history lines, oldest first, which people were shown. */
  history: string[];
}

export interface TaskFact {
  id: string;
  at: number | null;
  state: string;
  outcome: string | null;
  /** The server's own state, where that differs. */
  serverState: string | null;
  startedAt: string | null;
  createdAt: string;
  error: string | null;
  requests: RequestFact[];
  tool: string;
  /** The agent that started it, if one did. */
  agentId: string | null;
  /** What became of the approval in front of its call; null: none was asked for. */
  gate: string | null;
  /** How often its call was approved. */
  approvals: number;
  /** The names of those who used it as an approval. */
  usedBy: string[];
  /** The tool's own. */
  result: { content?: { text?: string }[]; structuredContent?: { outcome?: string } } | null;
}

export interface LedgerFact {
  at: string;
  server: string;
  /** The server's own id. */
  taskId: string;
  kind: string;
  data: Record<string, unknown>;
}

export interface Facts {
  tasks: TaskFact[];
  ledger: LedgerFact[];
  chainHolds: boolean;
}

export async function gather(api: Api, keys: Keys, seed: number, samples: Sample[]): Promise<Facts> {
  const tasks: TaskFact[] = [];
  for (const { id } of await api.all<{ id: string }>("/tasks", keys.operator))
    tasks.push(await readTask(api, keys.operator, seed, id));
  const ledgers = await Promise.all(
    samples.map(async ({ name, baseUrl }) =>
      (await readLedger(baseUrl)).map((line) => ({ ...(line as LedgerFact), server: name })),
    ),
  );
  const { body: chain } = await api.untilStatus("GET", "/events/verify", { key: keys.admin });
  return { tasks, ledger: ledgers.flat(), chainHolds: chain.ok === true };
}

interface Event {
  type: string;
  inputRequestId: string | null;
  actor: { name: string };
}

async function readTask(api: Api, key: string, seed: number, id: string): Promise<TaskFact> {
  const { body: task } = await api.untilStatus("GET", `/tasks/${id}`, { key });
  const events = await api.all<Event>(`/tasks/${id}/events`, key);
  const history = Map.groupBy(events, ({ inputRequestId }) => inputRequestId);
  const args = JSON.stringify(task.arguments);
  const requests: RequestFact[] = [];
  for (const { id: requestId } of task.inputRequests as { id: string }[]) {
    const { body: request } = await api.untilStatus("GET", `/input-requests/${requestId}`, { key });
    const { answer, delivery } = request;
    requests.push({
      id: requestId,
      state: request.state,
      question: questionIn(request),
      names: invoiceNamedIn(seed, questionIn(request) === "call" ? args : request.message),
      answer: answer && {
        ...{ action: answer.action, content: answer.content, at: answer.at },
        ...{ words: answer.words, by: { kind: answer.by.kind, name: answer.by.name } },
      },
      delivery: delivery && {
        state: delivery.state,
        deliverAfter: delivery.deliverAfter,
        flagged: delivery.flagged,
        inDoubt: delivery.inDoubt,
        error: delivery.error,
      },
      endedReason: request.endedReason,
      history: (history.get(requestId) ?? []).map(({ type }) => type),
    });
  }
  return {
    id,
    at: invoiceNamedIn(seed, args),
    state: task.state,
    outcome: task.outcome,
    serverState: task.serverState,
    startedAt: task.startedAt,
    createdAt: task.createdAt,
    error: task.error && `${task.error.code}: ${task.error.message}`,
    requests,
    tool: task.tool,
    agentId: task.requestedBy.kind === "agent" ? task.requestedBy.id : null,
    gate: task.gate?.state ?? null,
    approvals: events.filter(({ type }) => type === "task.approved").length,
    usedBy: events.flatMap(({ type, actor }) => (type === "request.used" ? actor.name : [])),
    result: task.result,
  };
}
