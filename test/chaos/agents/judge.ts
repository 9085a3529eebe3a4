/** Judges agents' calls and approvals by what their clients wrote down, Intray's account, and the servers' ledgers. Pure. */
import type { Facts, LedgerFact, RequestFact, TaskFact } from "../facts.ts";
import { count, type Judgement } from "../judgement.ts";
import type { Approval, Use } from "./approvals.ts";
import type { Note, Told } from "./notes.ts";
import { AGENTS, type AgentName, type ApprovalPlan, type CallPlan } from "./plan.ts";

export interface AgentRecord {
  calls: CallPlan[];
  ids: Record<AgentName, string>;
  notes: Note[];
}

export interface ApprovalRecord {
  plans: ApprovalPlan[];
  approvals: Approval[];
}

/** A call of one agent, with all that is known of it. */
interface AgentCall {
  agent: AgentName;
  plan: CallPlan;
  notes: Note[];
  tasks: TaskFact[];
  /** What servers made of it. */
  made: LedgerFact[];
}

export function judgeAgentCalls(
  judgement: Judgement,
  { calls, ids, notes }: AgentRecord,
  facts: Facts,
): void {
  const made = Map.groupBy(
    facts.ledger.filter(({ kind }) => kind === "created"),
    ({ data }) => String(data.key),
  );
  const tasksOf = Map.groupBy(facts.tasks, ({ agentId, at }) => `${agentId} ${at}`);
  const notesOf = Map.groupBy(notes, ({ agent, call }) => `${agent} ${call}`);
  const planned = new Set<string>();
  for (const plan of calls)
    for (const agent of plan.agents) {
      const tasks = tasksOf.get(`${ids[agent]} ${plan.at}`) ?? [];
      for (const { id } of tasks) planned.add(id);
      judgeCall(judgement, {
        agent,
        plan,
        notes: notesOf.get(`${agent} ${plan.at}`) ?? [],
        tasks,
        made: tasks.flatMap(({ id }) => made.get(id) ?? []),
      });
    }
  for (const { id, agentId } of facts.tasks)
    if (agentId !== null && !planned.has(id))
      judgement.calledTwice.push({ taskId: id, what: "an agent's task that no call of an agent's made" });
}

function judgeCall(judgement: Judgement, call: AgentCall): void {
  const { agent, plan, notes, tasks, made } = call;
  const [task] = tasks;
  const of = (what: string) => ({ taskId: task?.id ?? null, what: `call ${plan.at} of ${agent} ${what}` });
  countCall(judgement, call);
  if (tasks.length > 1) judgement.calledTwice.push(of(`became ${tasks.length} tasks`));
  if (made.length > 1) judgement.calledTwice.push(of(`was made ${made.length} times at servers`));
  for (const note of notes) {
    if ("taskId" in note && !tasks.some(({ id }) => id === note.taskId))
      judgement.misdirected.push(of(`was answered with task ${note.taskId}, which is not its own`));
    if (note.what === "stranger" && note.saw) judgement.misdirected.push(of("was told to another agent"));
    if (note.what === "refused") judgement.lost.push(of(`was refused: ${note.why}`));
  }
  if (!task) {
    judgement.lost.push(of("became no task"));
    return;
  }
  const results = notes.flatMap((note) => (note.what === "result" ? note.told : []));
  if (results.length === 0) judgement.lost.push(of("never got its result"));
  for (const told of results)
    if (!isWhatHappened(told, task))
      judgement.wronglyTold.push(of(`was told ${JSON.stringify(told)}, and the task is ${task.state}`));
  if (plan.tool === "request_approval") judgeAsked(judgement, task);
  else judgeGate(judgement, call, task);
}

function countCall({ agents }: Judgement, { plan, notes, tasks: [task] }: AgentCall): void {
  agents.calls++;
  count(agents.styles, plan.style);
  if (task) count(agents.ends, task.state);
  for (const note of notes) {
    if (note.what === "cut off") agents.cutOff++;
    if (note.what === "hung up") agents.hungUp++;
    if (note.what === "stranger" && !note.saw) agents.strangersRefused++;
    if (note.what === "joined or began" && task?.id === note.taskId && task.createdAt < note.calledAt)
      agents.joined++;
  }
}

function isWhatHappened(told: Told, { state, error, result }: TaskFact): boolean {
  if (state !== "completed") return told.isError && told.code !== null && told.code === codeOf(error);
  return (
    told.text === (result?.content?.[0]?.text ?? "") &&
    told.outcome === (result?.structuredContent?.outcome ?? null)
  );
}

function codeOf(error: string | null): string | null {
  return error?.split(":")[0] ?? null;
}

/** The approval in front of a call: decided once, and the call made once, or never. */
function judgeGate(judgement: Judgement, { agent, ...call }: AgentCall, task: TaskFact): void {
  const made = call.made.filter(({ data }) => data.key === task.id);
  const { lost, doubled, misdirected } = judgement;
  const finding = (what: string) => ({ taskId: task.id, what });
  const isApproved = AGENTS[agent].before === "allow" || judgeDecision(judgement, task, "call");
  if (AGENTS[agent].before === "allow" && task.gate !== null)
    doubled.push(finding("an approval was asked for that nobody wants"));
  if (isApproved === null) return;
  if (isApproved && made.length === 0) lost.push(finding("the call never reached its server"));
  if (!isApproved && made.length > 0)
    misdirected.push(finding("the call was declined, and reached its server"));
  if (AGENTS[agent].before === "allow") return;
  judgement.approvals.calls[isApproved ? "approved" : "declined"]++;
  if (task.gate !== (isApproved ? "approved" : "declined"))
    misdirected.push(
      finding(`people ${isApproved ? "approved" : "declined"} the call, and it is ${task.gate}`),
    );
  if (!isApproved && codeOf(task.error) !== "call_declined")
    misdirected.push(finding(`the call was declined, and its task is ${task.state} (${task.error})`));
  if (task.approvals !== (isApproved ? 1 : 0))
    doubled.push(finding(`the approval of the call counted ${task.approvals} times`));
  const approvedAt = Date.parse(requestsOf(task, "call")[0]?.answer?.at ?? "");
  if (made.some(({ at }) => Date.parse(at) < approvedAt))
    misdirected.push(finding("the call reached its server before anybody approved it"));
}

/** What an agent or a program asked people: answered once, and told as it was answered. */
function judgeAsked(judgement: Judgement, task: TaskFact): boolean | null {
  const isApproved = judgeDecision(judgement, task, "request");
  if (isApproved === null) return null;
  judgement.approvals.asked[isApproved ? "approved" : "declined"]++;
  const outcome = task.result?.structuredContent?.outcome;
  if (task.state !== "completed" || outcome !== (isApproved ? "answered" : "declined"))
    judgement.wronglyTold.push({
      taskId: task.id,
      what: `people ${isApproved ? "approved" : "declined"}, and the task is ${task.state} (${outcome})`,
    });
  return isApproved;
}

/** Returns whether people approved; null: nobody knows, which is a finding. */
function judgeDecision(judgement: Judgement, task: TaskFact, question: "call" | "request"): boolean | null {
  const requests = requestsOf(task, question);
  const answered = requests.filter(({ answer, state }) => answer !== null && state === "settled");
  if (requests.length > 1)
    judgement.doubled.push({
      taskId: task.id,
      what: `people were asked ${requests.length} times (${question})`,
    });
  const [decided] = answered;
  if (!decided)
    judgement.lost.push({
      taskId: task.id,
      what: `its ${question} is not decided: ${requests.map(({ state }) => state).join(", ") || "nobody was asked"}`,
    });
  return decided ? decided.answer?.action === "accept" : null;
}

function requestsOf({ requests }: TaskFact, question: "call" | "request"): RequestFact[] {
  return requests.filter((request) => request.question === question);
}

export function judgeApprovals(
  judgement: Judgement,
  { plans, approvals }: ApprovalRecord,
  facts: Facts,
): void {
  for (const { at } of plans) {
    const approval = approvals.find((one) => one.at === at);
    const task = facts.tasks.find(({ id }) => id === approval?.taskId);
    if (approval && task) judgeApproval(judgement, approval, task);
    else judgement.lost.push({ taskId: null, what: `the approval ${at} came to no end` });
  }
}

function judgeApproval(judgement: Judgement, { uses, strange }: Approval, task: TaskFact): void {
  const finding = (what: string) => ({ taskId: task.id, what });
  const isApproved = judgeAsked(judgement, task);
  const told = uses.filter(({ outcome }) => outcome === "used");
  if (task.usedBy.length > 1 || told.length > 1)
    judgement.calledTwice.push(
      finding(`its approval was used by ${task.usedBy.join(", ")}, as ${told.length} were told`),
    );
  if (strange.outcome === "used")
    judgement.misdirected.push(finding("its approval was used for arguments that nobody was shown"));
  if (isApproved === null) return;
  judgement.approvals.consumed += task.usedBy.length;
  judgement.approvals.notConsumed += uses.length - told.length;
  judgement.approvals.unheard += uses.reduce((sum, { unheard }) => sum + unheard, 0);
  if (isApproved && task.usedBy.length === 0) judgement.lost.push(finding("nobody could use its approval"));
  if (!isApproved && task.usedBy.length + told.length > 0)
    judgement.misdirected.push(finding("it was declined, and used as an approval"));
  for (const use of uses)
    if (!isTrue(use, isApproved, task.usedBy))
      judgement.wronglyTold.push(
        finding(`a rival was told ${JSON.stringify(use)}; ${task.usedBy.join(", ") || "nobody"} used it`),
      );
}

/** A rival that is refused because of its own use has tried before, and heard nothing. */
function isTrue(
  { rival, outcome, reason, by, unheard }: Use,
  isApproved: boolean,
  usedBy: string[],
): boolean {
  if (outcome === "used") return usedBy[0] === rival;
  if (!isApproved) return reason === "declined";
  return reason === "already_consumed" && by === usedBy[0] && (by !== rival || unheard > 0);
}
