/**
 * Judges whether anything was lost, doubled or misdirected, by comparing people's actions with Intray's
 * account and the ledgers. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { type AgentRecord, type ApprovalRecord, judgeAgentCalls, judgeApprovals } from "./agents/judge.ts";
import type { Facts, LedgerFact, RequestFact, TaskFact } from "./facts.ts";
import type { QuestionName } from "./invoices.ts";
import { count, type Judgement, newJudgement } from "./judgement.ts";
import type { Started, Try } from "./population.ts";
import { judgeMessages } from "./slack/judge.ts";
import type { SlackMessage } from "./slack/messages.ts";

export interface RunRecord {
  started: Started[];
  tries: Try[];
  agents: AgentRecord;
  approvals: ApprovalRecord;
  /** What stands in people's messages at Slack in the end; null: there is no Slack. */
  messages: SlackMessage[] | null;
}

/** Questions of servers. */
const KEYS = { approval: "approval-1", "cost center": "cost-center-1" } satisfies Partial<
  Record<QuestionName, string>
>;

export function judge({ started, tries, agents, approvals, messages }: RunRecord, facts: Facts): Judgement {
  const judgement = newJudgement();
  const { lost, doubled, misdirected } = judgement;
  const byId = new Map(facts.tasks.map((task) => [task.id, task]));
  const created = Map.groupBy(ofKind(facts.ledger, "created"), (line) => String(line.data.key));
  const linesOf = Map.groupBy(facts.ledger, (line) => line.taskId);
  const triesOf = Map.groupBy(tries, (made) => made.requestId);
  const linesOfTask = ({ id }: TaskFact) =>
    (created.get(id) ?? []).flatMap((line) => linesOf.get(line.taskId) ?? []);

  for (const one of started) {
    const task = byId.get(one.taskId);
    if (!task) {
      lost.push({ taskId: one.taskId, what: "Intray does not know the task any more" });
      continue;
    }
    count(judgement.ends, endOf(task));
    const made = created.get(task.id) ?? [];
    if (made.length > 1) doubled.push({ taskId: task.id, what: `made ${made.length} times by servers` });
    judgeInvoice(judgement, one, task, linesOfTask(task));
  }
  for (const task of facts.tasks) {
    if (task.agentId !== null && task.tool === "process_invoice" && task.gate !== "declined")
      judgeInvoice(judgement, { cancelled: false }, task, linesOfTask(task));
    for (const request of task.requests) judgeTries(judgement, task, request, triesOf.get(request.id) ?? []);
  }
  judgeAgentCalls(judgement, agents, facts);
  judgeApprovals(judgement, approvals, facts);
  if (messages) judgeMessages(judgement, messages, facts);

  const known = new Set([...started, ...approvals.approvals].map(({ taskId }) => taskId));
  for (const { id, agentId } of facts.tasks)
    if (agentId === null && !known.has(id))
      doubled.push({ taskId: id, what: "a task that nobody was told of" });
  for (const [key, lines] of created)
    if (!byId.has(key))
      doubled.push({
        taskId: null,
        what: `${lines[0]?.taskId} on ${lines[0]?.server} is no task of Intray's`,
      });
  if (!facts.chainHolds) misdirected.push({ taskId: null, what: "the chain of events does not hold" });
  return judgement;
}

/** Whoever started it: its end, its questions and its answers, here and on its server. */
function judgeInvoice(judgement: Judgement, one: Cancelled, task: TaskFact, lines: LedgerFact[]): void {
  judgeEnd(judgement, one, task, lines);
  judgeDeliveredAnswers(judgement, task, lines);
  for (const question of ["approval", "cost center"] as const)
    judgeQuestion(judgement, one, task, question, lines);
  for (const request of task.requests) {
    if (request.names !== task.at)
      judgement.misdirected.push({
        taskId: task.id,
        what: `asked about invoice ${request.names} of another task`,
      });
    judgeWords(judgement, one, task, request, lines);
  }
}

type Cancelled = Pick<Started, "cancelled">;

function judgeEnd(judgement: Judgement, one: Cancelled, task: TaskFact, lines: LedgerFact[]): void {
  const loss = (what: string) => judgement.lost.push({ taskId: task.id, what });
  const there = ofKind(lines, "ended").at(-1)?.data.state;
  if (task.state === "cancelled") {
    if (!one.cancelled) loss("cancelled, which nobody asked for");
    else if (lines.length > 0 && there === undefined) loss("cancelled here, and the server goes on");
    else if (there !== undefined && there !== "CANCELLED") judgement.cancelledHere++;
  } else if (task.state !== "completed") loss(`${task.state}${task.error ? ` (${task.error})` : ""}`);
  else if (there !== task.outcome) loss(`${task.outcome} here, and ${there ?? "no end"} on the server`);
  const paid = ofKind(lines, "paid").map((line) => line.data.line);
  if (new Set(paid).size < paid.length)
    judgement.doubled.push({ taskId: task.id, what: "a line was paid twice" });
}

/** Judges refused answers: the same answer again is a repeat, any other was never decided. */
function judgeDeliveredAnswers(judgement: Judgement, task: TaskFact, lines: LedgerFact[]): void {
  const deliveredAnswers = ofKind(lines, "told");
  const taken = deliveredAnswers.filter((given) => given.data.accepted === true);
  const cancelled = ofKind(lines, "cancelled").length > 0;
  for (const given of deliveredAnswers) {
    if (given.data.accepted === true) continue;
    const first = taken.find((other) => other.data.question === given.data.question);
    if (first && isDeepStrictEqual(decisionIn(first), decisionIn(given))) judgement.repeated++;
    else if (!first && cancelled) judgement.tooLate++;
    else
      judgement.misdirected.push({
        taskId: task.id,
        what: `the server was told ${decisionText(given)} and refused it`,
      });
  }
}

/** Judges a question and its answer, from the server's ask to the server's receipt. */
function judgeQuestion(
  judgement: Judgement,
  one: Cancelled,
  task: TaskFact,
  question: keyof typeof KEYS,
  lines: LedgerFact[],
): void {
  const { lost, doubled, misdirected } = judgement;
  const ofQuestion = (line: LedgerFact) => line.data.question === KEYS[question];
  const asked = ofKind(lines, "asked").some(ofQuestion);
  const taken = ofKind(lines, "told").filter((given) => ofQuestion(given) && given.data.accepted === true);
  const requests = task.requests.filter((request) => request.question === question);
  const answered = requests.filter((request) => request.answer !== null);
  judgement.answered += taken.length;

  if (asked && requests.length === 0 && !one.cancelled)
    lost.push({ taskId: task.id, what: `its question (${question}) never arrived` });
  for (const { id, state } of requests)
    if (state === "open" || state === "answered" || state === "undeliverable")
      lost.push({ taskId: task.id, what: `its request ${id} (${question}) is ${state}` });
  if (asked && requests.length > 0 && answered.length === 0 && taken.length === 0 && !one.cancelled)
    lost.push({ taskId: task.id, what: `its question (${question}) went away without an answer` });
  if (answered.length > 1)
    doubled.push({
      taskId: task.id,
      what: `people had to answer its question (${question}) ${answered.length} times`,
    });
  if (taken.length > 1)
    doubled.push({ taskId: task.id, what: `the server took ${taken.length} answers (${question})` });

  const [given] = taken;
  if (!given) {
    if (answered.length > 0 && !one.cancelled)
      lost.push({ taskId: task.id, what: `its answer (${question}) never reached the server` });
    return;
  }
  const match = answered.find(({ answer }) => isDeepStrictEqual(decisionIn(given), decisionOf(answer!)));
  if (!match) {
    const decided = answered.map(({ answer }) => JSON.stringify(decisionOf(answer!))).join(", ") || "nothing";
    misdirected.push({
      taskId: task.id,
      what: `the server took ${decisionText(given)}; decided was ${decided}`,
    });
    return;
  }
  const from = Math.max(Date.parse(match.answer!.at), Date.parse(match.delivery?.deliverAfter ?? "") || 0);
  judgement.delaysMs.push({ taskId: task.id, ms: Date.parse(given.at) - from });
}

/** The answer that counts must have been given and acknowledged, and not undone. */
function judgeTries(judgement: Judgement, task: TaskFact, request: RequestFact, tries: Try[]): void {
  const sure = tries.filter((made) => made.outcome === "taken" && made.undone === "no");
  if (sure.length > 1)
    judgement.doubled.push({
      taskId: task.id,
      what: `${sure.length} answers to request ${request.id} were taken`,
    });
  const { answer } = request;
  if (!answer) {
    if (sure.length > 0)
      judgement.lost.push({
        taskId: task.id,
        what: `the answer to request ${request.id} was taken and is gone`,
      });
    return;
  }
  const possible =
    sure.length > 0
      ? sure
      : tries.filter(
          ({ outcome, undone }) => (outcome === "taken" || outcome === "unknown") && undone !== "yes",
        );
  const isIt = (made: Try) =>
    made.by === answer.by.name && isDeepStrictEqual(decisionOf(made), decisionOf(answer));
  if (!possible.some(isIt)) {
    const given = `${JSON.stringify(decisionOf(answer))} by ${answer.by.name}`;
    const what = `request ${request.id} has the answer ${given}, which nobody gave`;
    judgement.misdirected.push({ taskId: task.id, what });
  }
}

/** States and history lines that claim that the server has an answer. */
const ARRIVED = { delivery: new Set(["accepted", "confirmed"]), history: "delivery.confirmed" };
/** States and history lines that claim that the server does not have an answer, and never will. */
const NOT_SENT = {
  delivery: new Set(["failed", "undone"]),
  request: new Set(["open", "withdrawn", "expired", "undeliverable"]),
};

/** Compares the words that people read about an answer with the server's ledger. */
function judgeWords(
  judgement: Judgement,
  one: Cancelled,
  task: TaskFact,
  request: RequestFact,
  lines: LedgerFact[],
): void {
  const { answer, delivery, state, history, question } = request;
  if (!answer || !delivery || question === "call" || question === "request") return;
  const taken = ofKind(lines, "told").some(
    (given) =>
      given.data.question === KEYS[question] &&
      given.data.accepted === true &&
      isDeepStrictEqual(decisionIn(given), decisionOf(answer)),
  );
  const wrong = (words: string, truth: string) =>
    judgement.wronglyTold.push({
      taskId: task.id,
      what: `people read that the answer to request ${request.id} ${words}, and the server ${truth} it`,
    });
  if (taken) {
    if (delivery.state === "failed" && delivery.inDoubt) return;
    if (NOT_SENT.delivery.has(delivery.state) || NOT_SENT.request.has(state))
      wrong(`was not sent (${state}, ${delivery.state}, ${request.endedReason ?? delivery.error})`, "took");
    return;
  }
  // A cancel may overtake an answer that the server has accepted.
  if (one.cancelled && delivery.state === "accepted") return;
  if (ARRIVED.delivery.has(delivery.state) || state === "settled")
    wrong(`arrived (${state}, ${delivery.state})`, "never took");
  else if (history.includes(ARRIVED.history)) wrong("arrived (in the history)", "never took");
}

function endOf({ state, outcome }: TaskFact): string {
  return state === "completed" && outcome ? `completed · ${outcome}` : state;
}

function ofKind(lines: LedgerFact[], kind: string): LedgerFact[] {
  return lines.filter((line) => line.kind === kind);
}

function decisionIn({ data }: LedgerFact): unknown {
  return { action: data.action, content: data.content ?? null };
}

function decisionOf({ action, content }: { action: string; content?: unknown }): unknown {
  return { action, content: content ?? null };
}

function decisionText(given: LedgerFact): string {
  return JSON.stringify(decisionIn(given));
}
