import { describe, expect, test } from "vitest";
import type { Facts, LedgerFact, RequestFact, TaskFact } from "./facts.ts";
import { judge, type RunRecord } from "./judge.ts";
import { findingsOf } from "./judgement.ts";
import type { SlackMessage } from "./slack/messages.ts";

const REQUEST = "01a00000-0000-7000-8000-000000000001";
const APPROVE = { action: "accept" as const, content: { value: "approve" } };
const REJECT = { action: "accept" as const, content: { value: "reject" } };

interface Story extends RunRecord {
  facts: Facts;
}

const line = (kind: string, data: Record<string, unknown> = {}): LedgerFact => ({
  at: "2026-07-28T10:00:05Z",
  server: "sample-1",
  taskId: "invoice-1",
  kind,
  data,
});
const answered = (decision: object, accepted = true) =>
  line("told", { question: "approval-1", content: null, ...decision, accepted });

/** Of the story's request. */
const message = (title: string, actions: object[] = [], request = REQUEST): SlackMessage => ({
  channel: "DU1",
  ts: "1.1",
  edits: 0,
  blocks: [
    { type: "header", text: { text: title } },
    { type: "actions", elements: [...actions, { url: `https://intray.example/inbox/${request}` }] },
  ],
});
const BUTTON = {
  action_id: "accept-0",
  value: JSON.stringify({ request: REQUEST, kind: "accept", content: {} }),
};

/** One invoice that went well: asked, approved, paid. */
function story(): Story & { task: TaskFact; request: RequestFact } {
  const request: RequestFact = {
    id: REQUEST,
    state: "settled",
    question: "approval",
    names: 1,
    answer: { ...APPROVE, at: "2026-07-28T10:00:04Z", words: "Approved", by: { kind: "key", name: "Ben" } },
    delivery: {
      state: "confirmed",
      deliverAfter: "2026-07-28T10:00:04Z",
      flagged: false,
      inDoubt: false,
      error: null,
    },
    endedReason: null,
    history: [
      "request.opened",
      "answer.recorded",
      "delivery.sending",
      "delivery.accepted",
      "delivery.confirmed",
    ],
  };
  const task: TaskFact = {
    id: "t1",
    at: 1,
    state: "completed",
    outcome: "PAID",
    serverState: null,
    startedAt: "2026-07-28T10:00:00Z",
    createdAt: "2026-07-28T10:00:00Z",
    error: null,
    requests: [request],
    tool: "process_invoice",
    agentId: null,
    gate: null,
    approvals: 0,
    usedBy: [],
    result: null,
  };
  const ledger = [
    line("created", { key: "t1" }),
    line("asked", { question: "approval-1" }),
    answered(APPROVE),
    line("paid", { line: 1 }),
    line("ended", { state: "PAID" }),
  ];
  return {
    started: [{ at: 1, invoiceId: "CHAOS-1-1", taskId: "t1", serverId: "s1", cancelled: false }],
    tries: [{ requestId: REQUEST, ...APPROVE, by: "Ben", outcome: "taken", undone: "no" }],
    agents: { calls: [], ids: { coder: "coder", clerk: "clerk" }, notes: [] },
    approvals: { plans: [], approvals: [] },
    messages: [message("Approved by the API key Ben")],
    facts: { tasks: [task], ledger, chainHolds: true },
    task,
    request,
  };
}

type Run = ReturnType<typeof story>;
const without = (run: Run, kind: string) => {
  run.facts.ledger = run.facts.ledger.filter((each) => each.kind !== kind);
};
const cancelled = (run: Run, there: string | null) => {
  run.started[0]!.cancelled = true;
  Object.assign(run.task, { state: "cancelled", outcome: null });
  without(run, "ended");
  if (there) run.facts.ledger.push(line("cancelled"), line("ended", { state: there }));
};

const good: [string, (run: Run) => void][] = [
  ["an invoice that went well", () => {}],
  ["an answer of which the giver heard nothing", (run) => (run.tries[0]!.outcome = "unknown")],
  [
    "an answer that was taken back, and another one given",
    (run) => run.tries.unshift({ requestId: REQUEST, ...REJECT, by: "Ben", outcome: "taken", undone: "yes" }),
  ],
  [
    "a second person, who came too late",
    (run) => run.tries.push({ requestId: REQUEST, ...REJECT, by: "Ben", outcome: "refused", undone: "no" }),
  ],
  ["a cancelled task", (run) => cancelled(run, "CANCELLED")],
  [
    "a task cancelled while its answer was in doubt",
    (run) => {
      cancelled(run, "CANCELLED");
      Object.assign(run.request, { state: "withdrawn", endedReason: "task_ended" });
      Object.assign(run.request.delivery!, { state: "failed", inDoubt: true });
    },
  ],
  [
    "a task cancelled before it began",
    (run) => {
      cancelled(run, null);
      Object.assign(run.facts, { ledger: [] });
      Object.assign(run.task, { requests: [], startedAt: null });
      run.messages = [];
    },
  ],
];

const bad: [string, "lost" | "doubled" | "misdirected" | "wronglyTold", (run: Run) => void][] = [
  ["a task that Intray forgot", "lost", (run) => (run.facts.tasks = [])],
  ["a task that does not end", "lost", (run) => (run.task.state = "working")],
  ["a task that failed", "lost", (run) => (run.task.state = "failed")],
  ["an end that the server does not know", "lost", (run) => without(run, "ended")],
  ["an end that differs from the server's", "lost", (run) => (run.task.outcome = "REJECTED")],
  [
    "a task that ended as cancelled, and nobody wanted it",
    "lost",
    (run) => {
      cancelled(run, "CANCELLED");
      run.started[0]!.cancelled = false;
    },
  ],
  ["a question that never arrived", "lost", (run) => (run.task.requests = [])],
  ["a question still open at the end", "lost", (run) => (run.request.state = "open")],
  ["an answer that could not be delivered", "lost", (run) => (run.request.state = "undeliverable")],
  ["an answer that the server never got", "lost", (run) => without(run, "told")],
  ["an answer that was taken and is gone", "lost", (run) => (run.request.answer = null)],
  [
    "a task made twice by its server",
    "doubled",
    (run) => run.facts.ledger.push({ ...line("created", { key: "t1" }), taskId: "invoice-2" }),
  ],
  ["a task that nobody started", "doubled", (run) => run.facts.tasks.push({ ...run.task, id: "t2" })],
  [
    "a server's task that is none of ours",
    "doubled",
    (run) => run.facts.ledger.push(line("created", { key: "t9" })),
  ],
  [
    "an answer that the server took twice",
    "doubled",
    (run) => run.facts.ledger.push(line("told", run.facts.ledger[2]!.data)),
  ],
  ["a line paid twice", "doubled", (run) => run.facts.ledger.push(line("paid", { line: 1 }))],
  [
    "two answers taken for one request",
    "doubled",
    (run) => run.tries.push({ requestId: REQUEST, ...REJECT, by: "Ben", outcome: "taken", undone: "no" }),
  ],
  [
    "a question that was put to people twice",
    "doubled",
    (run) => run.task.requests.push({ ...run.request, id: "r2" }),
  ],
  [
    "an answer other than the one that was decided",
    "misdirected",
    (run) => (run.facts.ledger[2] = line("told", { ...REJECT, question: "approval-1", accepted: true })),
  ],
  ["an answer that nobody gave", "misdirected", (run) => Object.assign(run.tries[0]!, REJECT)],
  ["an answer that was taken back and is in force", "misdirected", (run) => (run.tries[0]!.undone = "yes")],
  [
    "a losing answer that the server was told",
    "misdirected",
    (run) => run.facts.ledger.push(line("told", { ...REJECT, question: "approval-1", accepted: false })),
  ],
  ["a question of another task", "misdirected", (run) => (run.request.names = 2)],
  [
    "an answer that the server took, called not sent",
    "wronglyTold",
    (run) => {
      Object.assign(run.request, { state: "withdrawn", endedReason: "retracted" });
      run.request.delivery!.state = "failed";
    },
  ],
  [
    "an answer that the server took, called undeliverable",
    "wronglyTold",
    (run) => (run.request.state = "undeliverable"),
  ],
  ["an answer that the server never took, called settled", "wronglyTold", (run) => without(run, "told")],
  [
    "an answer that the server never took, called arrived on the way",
    "wronglyTold",
    (run) => {
      without(run, "told");
      run.request.state = "undeliverable";
      run.request.delivery!.state = "failed";
    },
  ],
  [
    "another answer than the one that the server took, called arrived",
    "wronglyTold",
    (run) => (run.facts.ledger[2] = line("told", { ...REJECT, question: "approval-1", accepted: true })),
  ],
  [
    "an answer of a person who had no right to give it",
    "misdirected",
    (run) => {
      run.tries[0]!.outcome = "barred";
    },
  ],
  ["an answer of somebody else", "misdirected", (run) => (run.request.answer!.by.name = "Cleo")],
  ["a request told twice in one conversation", "doubled", (run) => run.messages!.push(run.messages![0]!)],
  [
    "a message about no request of the run",
    "misdirected",
    (run) =>
      (run.messages = [message("A request waits for an answer", [], "01a00000-0000-7000-8000-000000000009")]),
  ],
  [
    "a decided request whose message has buttons",
    "wronglyTold",
    (run) => (run.messages = [message("Approved by the API key Ben", [BUTTON])]),
  ],
  [
    "a decided request whose message asks",
    "wronglyTold",
    (run) => (run.messages = [message("A request waits for an answer")]),
  ],
  [
    "a message that names another decision",
    "wronglyTold",
    (run) => (run.messages = [message("Rejected by the API key Ben")]),
  ],
  [
    "a message that names another person",
    "wronglyTold",
    (run) => (run.messages = [message("Approved by the API key Cleo")]),
  ],
  ["a broken chain of events", "misdirected", (run) => (run.facts.chainHolds = false)],
];

describe("nothing is wrong with", () => {
  test.each(good)("%s", (_, change) => {
    const run = story();
    change(run);
    expect(findingsOf(judge(run, run.facts))).toEqual([]);
  });
});

describe("what is found", () => {
  test.each(bad)("%s is %s", (_, kind, change) => {
    const run = story();
    change(run);
    expect(judge(run, run.facts)[kind]).not.toEqual([]);
  });
});

test("the same answer once more, refused by the server, is a repeat and no more", () => {
  const one = story();
  one.facts.ledger.push(answered(APPROVE, false));
  expect(judge(one, one.facts)).toMatchObject({ repeated: 1, lost: [], doubled: [], misdirected: [] });
});

test("an answer's way is timed from the end of its hold", () => {
  const one = story();
  one.request.delivery!.deliverAfter = "2026-07-28T10:00:04.500Z";
  expect(judge(one, one.facts).delaysMs).toEqual([{ taskId: "t1", ms: 500 }]);
});
