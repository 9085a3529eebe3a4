/** The people of a run, who start tasks, cancel some, and answer questions, all through the API. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, unlessGone } from "./api.ts";
import type { Keys } from "./installation.ts";
import {
  choose,
  type Decision,
  decide,
  type InvoicePlan,
  invoiceNamedIn,
  mannerOf,
  type QuestionName,
  questionIn,
} from "./invoices.ts";

/** A person's attempt at a decision, and the reply. */
export interface Try extends Decision {
  requestId: string;
  /** The name of the person or key. */
  by: string;
  /** `barred`: they had no right to, so that it may never count. */
  outcome: "taken" | "refused" | "unknown" | "barred";
  undone: "no" | "yes" | "unknown";
  /** Pressed in Slack, which hears only that the press was stored. */
  isPress?: true;
}

export interface Started {
  at: number;
  invoiceId: string;
  taskId: string;
  serverId: string;
  cancelled: boolean;
}

export interface RegisteredServer {
  id: string;
  name: string;
}

export interface Population {
  started: Started[];
  tries: Try[];
  /** Answers that a person sent again, after the server took them and kept asking. */
  resent: number;
}

export interface PopulationOptions {
  api: Api;
  keys: Keys;
  seed: number;
  serverIds: string[];
  invoices: InvoicePlan[];
  /** Whether a client hangs up before this one's questions are answered. */
  isAwaited(at: number): boolean;
  /** How long a request is left to people who press in Slack, in ms. */
  leavesMs(request: { id: string; origin: string }): number;
  /** Called when somebody decides. */
  onDecision(): void;
  /** The database may forget its last moments. */
  mayForget: boolean;
  /** Ends the run. */
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 1_500;

/** Starts every invoice at its time. Resolves when each has its task, and its planned cancel. */
export async function startInvoices(people: Population, options: PopulationOptions): Promise<void> {
  const { api, keys, seed, signal, serverIds } = options;
  const begin = performance.now();
  const starts = options.invoices.map(async (invoice) => {
    const wait = invoice.startAtMs - (performance.now() - begin);
    if (wait > 0) await sleep(wait, undefined, { signal });
    const serverId = serverIds[invoice.at % serverIds.length] as string;
    const { body } = await api.untilStatus("POST", "/tasks", {
      key: keys.operator,
      headers: { "idempotency-key": `chaos-${seed}-${invoice.at}` },
      body: { serverId, tool: "process_invoice", arguments: invoice.arguments },
    });
    const task = {
      at: invoice.at,
      invoiceId: invoice.invoiceId,
      taskId: body.id,
      serverId,
      cancelled: false,
    };
    people.started.push(task);
    if (invoice.cancelAfterMs !== null) await cancel(task, invoice.cancelAfterMs, options);
  });
  await Promise.all(starts);
}

async function cancel(
  task: Started,
  afterMs: number,
  { api, keys, mayForget, signal }: PopulationOptions,
): Promise<void> {
  await sleep(afterMs, undefined, { signal });
  task.cancelled = true;
  // 409: the task has ended already.
  await api
    .untilStatus("POST", `/tasks/${task.taskId}/cancel`, { key: keys.operator }, [202, 409])
    .catch((error: unknown) => unlessGone(mayForget, error));
}

/** Answers open requests until `over` reports that no more will be asked. */
export async function answerAll(
  people: Population,
  options: PopulationOptions,
  over: () => boolean,
): Promise<void> {
  const { api, keys, mayForget, signal } = options;
  const busy = new Map<string, Promise<void>>();
  const firstSeen = new Map<string, number>();
  let broken: unknown;
  while (!over() && !broken) {
    const reply = await api.once("GET", "/input-requests?state=open&limit=200", { key: keys.approvers[0] });
    for (const { id, origin } of (reply?.body?.items ?? []) as { id: string; origin: string }[]) {
      const seenAt = firstSeen.get(id) ?? performance.now();
      firstSeen.set(id, seenAt);
      if (busy.has(id) || performance.now() - seenAt < options.leavesMs({ id, origin })) continue;
      const work = answer(people, options, id)
        .catch((error: unknown) => unlessGone(mayForget, error))
        .catch((error: unknown) => {
          broken = error;
        })
        .finally(() => busy.delete(id));
      busy.set(id, work);
    }
    await resendFlagged(people, options);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  await Promise.all(busy.values());
  if (broken) throw broken;
}

interface Answerer {
  key: string;
  name: string;
}

/** Lets one person, or two at once, deal with an open request, which comes up again while it is open. */
async function answer(people: Population, options: PopulationOptions, requestId: string): Promise<void> {
  const { api, seed, signal } = options;
  const { approvers, people: members } = options.keys;
  const { body: seen } = await api.untilStatus("GET", `/input-requests/${requestId}`, { key: approvers[0] });
  const question: QuestionName = questionIn(seen);
  const at = invoiceNamedIn(seed, question === "call" ? JSON.stringify(seen.arguments) : seen.message);
  if (at === null) throw new Error(`request ${requestId} names no invoice of this run: ${seen.message}`);
  if (options.isAwaited(at)) return;
  const [ben, cleo] =
    seen.origin === "intray"
      ? ([
          { key: members[0], name: "Dana" },
          { key: members[1], name: "Emil" },
        ] as const)
      : ([
          { key: approvers[0], name: "Ben" },
          { key: approvers[1], name: "Cleo" },
        ] as const);
  const { way, thinkMs, holdMs } = mannerOf(seed, at, question);
  const before = people.tries.filter((one) => one.requestId === requestId).length;
  await sleep(thinkMs, undefined, { signal });
  const answerOnce = (by: Answerer, attempt: number, hold: number) =>
    decideOn(
      people,
      options,
      { requestId, by, questionHash: seen.questionHash, holdMs: hold },
      // A recipe's question has nothing but its choices.
      seen.actions.includes("decline")
        ? decide(seed, at, question, attempt)
        : choose(seed, at, question, attempt),
    );
  if (before > 0 || way === "plain") await answerOnce(ben, before, 0);
  else if (way === "twice") await Promise.all([answerOnce(ben, 0, 0), answerOnce(cleo, 1, 0)]);
  else {
    const made = await answerOnce(ben, 0, way === "held" ? holdMs : 30_000);
    if (way === "undone" && made.outcome === "taken") await undo(options, made, ben.key);
  }
}

async function decideOn(
  people: Population,
  { api, onDecision, mayForget }: PopulationOptions,
  to: { requestId: string; by: Answerer; questionHash: string; holdMs: number },
  decision: Decision,
): Promise<Try> {
  const { requestId, by } = to;
  const made: Try = { requestId, by: by.name, ...decision, outcome: "unknown", undone: "no" };
  people.tries.push(made);
  onDecision();
  const reply = await api.once("POST", `/input-requests/${to.requestId}/answer`, {
    key: by.key,
    body: { ...decision, questionHash: to.questionHash, ...(to.holdMs > 0 && { holdMs: to.holdMs }) },
  });
  if (!reply) return made;
  // Somebody else was first, the task has ended, or its question has changed.
  const isGone = mayForget && reply.status === 404;
  if (reply.status !== 202 && reply.status !== 409 && reply.status !== 410 && !isGone)
    throw new Error(`the answer to ${to.requestId}: ${reply.status} ${JSON.stringify(reply.body)}`);
  made.outcome = reply.status === 202 ? "taken" : "refused";
  return made;
}

async function undo({ api, signal }: PopulationOptions, made: Try, key: string): Promise<void> {
  await sleep(500, undefined, { signal });
  const reply = await api.once("POST", `/input-requests/${made.requestId}/undo`, { key });
  made.undone = reply === null ? "unknown" : reply.status === 200 ? "yes" : "no";
}

async function resendFlagged(people: Population, { api, keys }: PopulationOptions): Promise<void> {
  const reply = await api.once("GET", "/input-requests?state=answered&limit=200", { key: keys.operator });
  for (const { id, delivery } of reply?.body?.items ?? []) {
    if (!delivery?.flagged) continue;
    const sent = await api.once("POST", `/input-requests/${id}/resend`, { key: keys.operator });
    if (sent?.status === 200) people.resent++;
  }
}
