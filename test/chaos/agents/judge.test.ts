import { describe, expect, test } from "vitest";
import type { Facts, LedgerFact, RequestFact, TaskFact } from "../facts.ts";
import { judge, type RunRecord } from "../judge.ts";
import { findingsOf, type VERDICTS } from "../judgement.ts";
import type { Approval, Use } from "./approvals.ts";
import type { Note, Told } from "./notes.ts";
import type { CallPlan } from "./plan.ts";

const APPROVE = { action: "accept" as const, content: { value: "approve" } };
const YES = { action: "accept" as const, content: {} };
const NO = { action: "decline" as const };
const PAID = "Invoice processing result: PAID";

const plan = (at: number, changes: Partial<CallPlan> = {}): CallPlan => ({
  at,
  agents: ["clerk"],
  startAtMs: 0,
  tool: "process_invoice",
  arguments: {},
  era: "2025-11-25",
  style: "held",
  client: "run",
  comesBack: "call",
  tellsProgress: false,
  hangUpsMs: [],
  hasStranger: true,
  ...changes,
});

const BY = { words: "Decided", by: { kind: "key", name: "Ben" } };
const request = (id: string, at: number, question: RequestFact["question"], answer: object): RequestFact => ({
  id,
  state: "settled",
  question,
  names: at,
  answer: { content: null, ...answer, at: "2026-07-28T10:00:04Z", ...BY } as RequestFact["answer"],
  delivery: {
    state: "confirmed",
    deliverAfter: "2026-07-28T10:00:04Z",
    flagged: false,
    inDoubt: false,
    error: null,
  },
  endedReason: null,
  history: [],
});

const task = (id: string, at: number, changes: Partial<TaskFact>): TaskFact => ({
  id,
  at,
  state: "completed",
  outcome: "PAID",
  serverState: null,
  startedAt: "2026-07-28T10:00:05Z",
  createdAt: "2026-07-28T10:00:00Z",
  error: null,
  requests: [],
  tool: "process_invoice",
  agentId: "clerk's id",
  gate: null,
  approvals: 0,
  usedBy: [],
  result: { content: [{ text: PAID }] },
  ...changes,
});

const line = (kind: string, data: Record<string, unknown> = {}): LedgerFact => ({
  at: "2026-07-28T10:00:06Z",
  server: "sample-1",
  taskId: "invoice-1",
  kind,
  data,
});

const signed = { time: "2026-07-28T10:00:01Z", call: 1, agent: "clerk" as const };
const told = (changes: Partial<Told> = {}): Told => ({
  isError: false,
  text: PAID,
  code: null,
  outcome: null,
  ...changes,
});
const use = (rival: string, changes: Partial<Use>): Use => ({
  rival,
  outcome: "used",
  reason: null,
  by: null,
  unheard: 0,
  ...changes,
});

/**
 * All went well: a call that was approved, made, and joined by its client (1); an approval that an agent asked for (2); and
 * one that two rivals wanted to use (3).
 */
function story() {
  const call = task("t1", 1, {
    gate: "approved",
    approvals: 1,
    requests: [request("r1", 1, "call", YES), request("r2", 1, "approval", APPROVE)],
  });
  const asked = task("t2", 2, {
    tool: "request_approval",
    outcome: null,
    requests: [request("r3", 2, "request", YES)],
    result: { content: [{ text: "Dana approved." }], structuredContent: { outcome: "answered" } },
  });
  const wanted = task("t3", 3, {
    tool: "request_approval",
    outcome: null,
    agentId: null,
    usedBy: ["Robot"],
    requests: [request("r4", 3, "request", YES)],
    result: { content: [{ text: "Dana approved." }], structuredContent: { outcome: "answered" } },
  });
  const notes: Note[] = [
    { ...signed, what: "called" },
    { ...signed, what: "cut off" },
    { ...signed, what: "called" },
    { ...signed, what: "joined or began", taskId: "t1", calledAt: "2026-07-28T10:00:02Z" },
    { ...signed, what: "stranger", taskId: "t1", saw: false },
    { ...signed, what: "result", taskId: "t1", told: told() },
    {
      ...signed,
      call: 2,
      what: "result",
      taskId: "t2",
      told: told({ text: "Dana approved.", outcome: "answered" }),
    },
  ];
  const approval: Approval = {
    at: 3,
    requestId: "r4",
    taskId: "t3",
    argumentsDigest: "d",
    uses: [
      use("Pipeline", { outcome: "refused", reason: "already_consumed", by: "Robot" }),
      use("Robot", {}),
    ],
    strange: use("Robot", { outcome: "refused", reason: "other_arguments" }),
  };
  const ledger = [
    line("created", { key: "t1" }),
    line("asked", { question: "approval-1" }),
    line("told", { question: "approval-1", ...APPROVE, accepted: true }),
    line("ended", { state: "PAID" }),
  ];
  const facts: Facts = { tasks: [call, asked, wanted], ledger, chainHolds: true };
  const record: RunRecord = {
    started: [],
    tries: [
      { requestId: "r1", ...YES, by: "Ben", outcome: "taken", undone: "no" },
      { requestId: "r2", ...APPROVE, by: "Ben", outcome: "taken", undone: "no" },
      { requestId: "r3", ...YES, by: "Ben", outcome: "taken", undone: "no" },
      { requestId: "r4", ...YES, by: "Ben", outcome: "taken", undone: "no" },
    ],
    agents: {
      calls: [plan(1), plan(2, { tool: "request_approval" })],
      ids: { coder: "coder's id", clerk: "clerk's id" },
      notes,
    },
    approvals: {
      plans: [{ at: 3, startAtMs: 0, message: "Deploy 3", argumentsDigest: "d", hangUpMs: 1 }],
      approvals: [approval],
    },
    messages: null,
  };
  return { ...record, facts, call, asked, wanted, notes, approval };
}
type Run = ReturnType<typeof story>;

const noteOf = <W extends Note["what"]>(run: Run, what: W) =>
  run.notes.find((note) => note.what === what) as Note & { what: W };
const decide = (run: Run, request: RequestFact | undefined, decision: { action: "decline" }) => {
  if (!request) throw new Error("there is no such request");
  request.answer = { ...decision, content: null, at: "2026-07-28T10:00:04Z", ...BY };
  const made = run.tries.find(({ requestId }) => requestId === request.id);
  Object.assign(made ?? {}, { ...decision, content: undefined });
};
const decline = (run: Run) => {
  decide(run, run.call.requests[0], NO);
  Object.assign(run.call, {
    state: "failed",
    outcome: null,
    gate: "declined",
    approvals: 0,
    error: "call_declined: Dana declined this call.",
    result: null,
  });
  run.call.requests.pop();
  run.facts.ledger = [];
  noteOf(run, "result").told = told({ isError: true, text: "It failed", code: "call_declined" });
};
const declineWanted = (run: Run) => {
  decide(run, run.wanted.requests[0], NO);
  run.wanted.result = { content: [], structuredContent: { outcome: "declined" } };
  run.wanted.usedBy = [];
  run.approval.uses = run.approval.uses.map(({ rival }) =>
    use(rival, { outcome: "refused", reason: "declined" }),
  );
};

const good: [string, (run: Run) => void][] = [
  ["calls and approvals that went well", () => {}],
  ["a call that was declined", decline],
  ["an approval that was declined, which nobody used", declineWanted],
  [
    "a rival that used an approval and heard of it the second time",
    (run) =>
      Object.assign(run.approval.uses[1]!, {
        outcome: "refused",
        reason: "already_consumed",
        by: "Robot",
        unheard: 1,
      }),
  ],
  [
    "another agent with the same arguments, which has a task of its own",
    (run) => {
      run.agents.calls[0]!.agents.push("coder");
      run.facts.tasks.push({
        ...run.call,
        id: "t4",
        agentId: "coder's id",
        gate: null,
        approvals: 0,
        requests: [request("r5", 1, "approval", APPROVE)],
      });
      run.tries.push({ requestId: "r5", ...APPROVE, by: "Ben", outcome: "taken", undone: "no" });
      run.facts.ledger.push(
        ...run.facts.ledger.map((each) => ({
          ...each,
          taskId: "invoice-4",
          data: each.kind === "created" ? { key: "t4" } : each.data,
        })),
      );
      run.notes.push({ ...noteOf(run, "result"), agent: "coder", taskId: "t4" });
    },
  ],
];

const bad: [string, (typeof VERDICTS)[number], (run: Run) => void][] = [
  [
    "a call that became two tasks",
    "calledTwice",
    (run) => run.facts.tasks.push({ ...run.call, id: "t4", requests: [] }),
  ],
  [
    "a call that was made twice at its server",
    "calledTwice",
    (run) => run.facts.ledger.push({ ...line("created", { key: "t1" }), taskId: "invoice-2" }),
  ],
  [
    "a task of an agent that called nothing of the kind",
    "calledTwice",
    (run) => run.facts.tasks.push({ ...run.asked, id: "t4", at: 9 }),
  ],
  ["a call that became no task", "lost", (run) => run.facts.tasks.shift()],
  [
    "a client that never got its result",
    "lost",
    (run) => run.notes.splice(run.notes.indexOf(noteOf(run, "result")), 1),
  ],
  ["a client that was refused", "lost", (run) => run.notes.push({ ...signed, what: "refused", why: "403" })],
  ["an approved call that its server never got", "lost", (run) => (run.facts.ledger = [])],
  ["a call that nobody was asked about", "lost", (run) => run.call.requests.shift()],
  ["an approval that is open still", "lost", (run) => (run.asked.requests[0]!.state = "open")],
  ["an approval that nobody could use", "lost", (run) => (run.wanted.usedBy = [])],
  ["an approval whose rivals never heard of it", "lost", (run) => run.approvals.approvals.pop()],
  [
    "a call that people were asked about twice",
    "doubled",
    (run) => run.call.requests.push({ ...run.call.requests[0]!, id: "r9" }),
  ],
  ["an approval that counted twice", "doubled", (run) => (run.call.approvals = 2)],
  [
    "an approval that a declined call has",
    "doubled",
    (run) => {
      decline(run);
      run.call.approvals = 1;
    },
  ],
  [
    "an approval in front of a call that needs none",
    "doubled",
    (run) => {
      run.agents.calls[0]!.agents = ["coder"];
      run.call.agentId = "coder's id";
      for (const note of run.notes) if (note.call === 1) note.agent = "coder";
    },
  ],
  [
    "two answers taken for one approval",
    "doubled",
    (run) => run.tries.push({ requestId: "r1", ...NO, by: "Ben", outcome: "taken", undone: "no" }),
  ],
  ["an answer to an approval that nobody gave", "misdirected", (run) => Object.assign(run.tries[0]!, NO)],
  [
    "a declined call that reached its server",
    "misdirected",
    (run) => {
      const { ledger } = run.facts;
      decline(run);
      run.facts.ledger = ledger;
    },
  ],
  [
    "a call that reached its server before it was approved",
    "misdirected",
    (run) => (run.facts.ledger[0]!.at = "2026-07-28T10:00:03Z"),
  ],
  [
    "a declined call whose task counts as approved",
    "misdirected",
    (run) => {
      decline(run);
      run.call.gate = "approved";
    },
  ],
  ["a task that another agent was told of", "misdirected", (run) => (noteOf(run, "stranger").saw = true)],
  ["a result of another call", "misdirected", (run) => (noteOf(run, "result").taskId = "t2")],
  [
    "an approval used for arguments that nobody was shown",
    "misdirected",
    (run) => (run.approval.strange.outcome = "used"),
  ],
  [
    "a declined approval that was used",
    "misdirected",
    (run) => {
      declineWanted(run);
      run.wanted.usedBy = ["Robot"];
    },
  ],
  ["an approval that two used", "calledTwice", (run) => run.wanted.usedBy.push("Pipeline")],
  [
    "an approval that two were told to have used",
    "calledTwice",
    (run) => (run.approval.uses[0] = use("Pipeline", {})),
  ],
  [
    "a result that says otherwise than the task",
    "wronglyTold",
    (run) => (noteOf(run, "result").told = told({ text: "Invoice processing result: REJECTED" })),
  ],
  [
    "a declined call whose client was told that it went well",
    "wronglyTold",
    (run) => {
      decline(run);
      noteOf(run, "result").told = told();
    },
  ],
  ["a no that the agent reads as a yes", "wronglyTold", (run) => decide(run, run.asked.requests[0], NO)],
  [
    "a rival that is told that another one has used the approval",
    "wronglyTold",
    (run) => Object.assign(run.approval.uses[0]!, { by: "Pipeline" }),
  ],
  [
    "a rival that is told that it has used the approval, which another one has",
    "wronglyTold",
    (run) => (run.wanted.usedBy = ["Pipeline"]),
  ],
];

describe("nothing is wrong with", () => {
  test.each(good)("%s", (_, change) => {
    const run = story();
    change(run);
    expect(findingsOf(judge(run, run.facts))).toEqual([]);
  });
});

describe("what is found", () => {
  test.each(bad)("%s is %s", (_, verdict, change) => {
    const run = story();
    change(run);
    expect(judge(run, run.facts)[verdict]).not.toEqual([]);
  });
});

test("calls, those who joined, approvals and their uses are counted", () => {
  const run = story();
  const { agents, approvals } = judge(run, run.facts);
  expect(agents).toEqual({
    calls: 2,
    styles: { held: 2 },
    ends: { completed: 2 },
    joined: 1,
    cutOff: 1,
    hungUp: 0,
    strangersRefused: 1,
  });
  expect(approvals).toEqual({
    calls: { approved: 1, declined: 0 },
    asked: { approved: 2, declined: 0 },
    consumed: 1,
    notConsumed: 1,
    unheard: 0,
  });
});
