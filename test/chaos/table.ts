/** The result of a run, as a table for people. */
import { type Judgement, VERDICTS } from "./judgement.ts";
import { FAULTS, type FaultKind } from "./plan.ts";

export interface Account {
  seed: number;
  minutes: number;
  /** From the first start to the judgement. */
  tookMs: number;
  tasks: number;
  /** Tasks started while things broke: a run with few of them proves little. */
  startedMeanwhile: number;
  kills: Map<string, number>;
  /** Kills just after an agent called, somebody decided, or a program used an approval. */
  atMoments: number;
  freezes: number;
  /** The outages of Intray's database, each in ms; kills are not included. */
  outages: number[];
  /** Parts that ended by themselves, as they may when their database is down. */
  ownEnds: Map<string, number>;
  faults: Map<FaultKind, number>;
  /** Answers that the bad network itself brought twice. */
  doubledByNetwork: number;
  /** Answers given by people: taken by Intray, refused to those who came second, undone. */
  given: { taken: number; refused: number; undone: number; resent: number };
  /** Null: there is no Slack. */
  slack: { messages: number; edits: number; presses: number } | null;
  /** Times the web app answered 500. */
  webErrors: number;
  judgement: Judgement;
}

export function table(account: Account): string {
  const { judgement, given } = account;
  const { agents, approvals } = judgement;
  const { calls, asked } = approvals;
  const delays = judgement.delaysMs.map(({ ms }) => ms).sort((a, b) => a - b);
  const slowest = judgement.delaysMs.reduce((a, b) => (b.ms > a.ms ? b : a), { taskId: "", ms: 0 });
  const rows: [string, string | number, string?][] = [
    ["seed", account.seed, `${account.minutes} minutes of faults, ${seconds(account.tookMs)} in all`],
    ["tasks", account.tasks, counts(Object.entries(judgement.ends))],
    ["started meanwhile", account.startedMeanwhile, "while things broke"],
    [
      "answers given",
      given.taken,
      `${given.refused} came second, ${given.undone} taken back, ${given.resent} sent again by a person`,
    ],
    ["answers at servers", judgement.answered, `${judgement.tooLate} came after a cancel`],
    ["slowest answer", seconds(slowest.ms), `median ${seconds(delays[Math.floor(delays.length / 2)] ?? 0)}`],
    ["agent calls", agents.calls, counts(Object.entries({ ...agents.styles, ...agents.ends }))],
    [
      "joined",
      agents.joined,
      `repeated calls; ${agents.cutOff} times cut off, ${agents.hungUp} hung up; ${agents.strangersRefused} strangers refused`,
    ],
    [
      "approvals",
      calls.approved + calls.declined + asked.approved + asked.declined,
      `before a call: ${calls.approved} approved, ${calls.declined} declined; asked for: ${asked.approved} approved, ${asked.declined} declined`,
    ],
    [
      "consumed",
      approvals.consumed,
      `approvals; ${approvals.notConsumed} rivals refused, ${approvals.unheard} tries unheard`,
    ],
    [
      "kills",
      sum(account.kills),
      `${counts(account.kills)}; ${account.atMoments} in the middle of a call, a decision or a use`,
    ],
    [
      "freezes",
      account.freezes,
      account.ownEnds.size > 0 ? `ended by themselves: ${counts(account.ownEnds)}` : "",
    ],
    ["outages", account.outages.length, account.outages.map(seconds).join(", ")],
    ["faults", sum(account.faults), counts(FAULTS.map((kind) => [kind, account.faults.get(kind) ?? 0]))],
    ...(account.slack
      ? [
          [
            "messages in Slack",
            account.slack.messages,
            `edited ${account.slack.edits} times; ${account.slack.presses} presses`,
          ] satisfies [string, number, string],
        ]
      : []),
    ["internal errors", account.webErrors, "of the web app (500)"],
    ["cancelled here only", judgement.cancelledHere, "the server had ended them when the cancel came"],
    [
      "repeated",
      judgement.repeated,
      `the same answer once more, refused by the server; the network doubled ${account.doubledByNetwork}`,
    ],
    ["lost", judgement.lost.length],
    ["doubled", judgement.doubled.length],
    ["misdirected", judgement.misdirected.length],
    ["wrongly told", judgement.wronglyTold.length],
    ["called twice", judgement.calledTwice.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, value, more]) =>
      `  ${name.padEnd(width)}  ${String(value).padStart(8)}  ${more ?? ""}`.trimEnd(),
    )
    .join("\n");
}

const WORDS = { wronglyTold: "wrongly told", calledTwice: "called twice" } as Record<string, string>;

export function findings(judgement: Judgement): string {
  return VERDICTS.flatMap((verdict) =>
    judgement[verdict].map(
      ({ taskId, what }) => `  ${WORDS[verdict] ?? verdict}: ${taskId ? `task ${taskId}: ` : ""}${what}`,
    ),
  ).join("\n");
}

function counts(entries: Iterable<[string, number]>): string {
  return [...entries].map(([name, count]) => `${name} ${count}`).join(", ");
}

function sum(map: Map<string, number>): number {
  return [...map.values()].reduce((total, count) => total + count, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
