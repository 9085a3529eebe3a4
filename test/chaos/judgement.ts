/** What the judge says of a run. */

export interface Finding {
  /** Intray's id; null if it has none. */
  taskId: string | null;
  what: string;
}

export interface Judgement {
  lost: Finding[];
  doubled: Finding[];
  misdirected: Finding[];
  /** Statements to people, agents or programs that contradict what happened. */
  wronglyTold: Finding[];
  /** Calls of agents that became two, and approvals that were used twice. */
  calledTwice: Finding[];
  /** Repeated answers that the server refused: harmless, and allowed where the compatibility page says so. */
  repeated: number;
  /** Answers that came after their task was cancelled. */
  tooLate: number;
  /** Tasks that ended on the server at the moment of the cancel: cancelled here. */
  cancelledHere: number;
  /** Answers that the servers took. */
  answered: number;
  ends: Record<string, number>;
  /** From the decision, or the end of its hold, to the server's ledger. */
  delaysMs: { taskId: string; ms: number }[];
  agents: AgentCounts;
  approvals: ApprovalCounts;
}

export interface AgentCounts {
  calls: number;
  /** By what the client takes for an answer. */
  styles: Record<string, number>;
  ends: Record<string, number>;
  /** Repeated calls that were answered with the task that there was. */
  joined: number;
  cutOff: number;
  hungUp: number;
  /** Times another agent asked for the task, and was told of none. */
  strangersRefused: number;
}

export interface ApprovalCounts {
  /** Of a call, before it was made. */
  calls: { approved: number; declined: number };
  /** Asked for by agents and programs. */
  asked: { approved: number; declined: number };
  consumed: number;
  /** Rivals who came second, and those who asked for a declined one. */
  notConsumed: number;
  /** Uses of which the rival heard nothing, and that it tried again. */
  unheard: number;
}

export const VERDICTS = ["lost", "doubled", "misdirected", "wronglyTold", "calledTwice"] as const;

export function newJudgement(): Judgement {
  return {
    lost: [],
    doubled: [],
    misdirected: [],
    wronglyTold: [],
    calledTwice: [],
    repeated: 0,
    tooLate: 0,
    cancelledHere: 0,
    answered: 0,
    ends: {},
    delaysMs: [],
    agents: { calls: 0, styles: {}, ends: {}, joined: 0, cutOff: 0, hungUp: 0, strangersRefused: 0 },
    approvals: {
      calls: { approved: 0, declined: 0 },
      asked: { approved: 0, declined: 0 },
      consumed: 0,
      notConsumed: 0,
      unheard: 0,
    },
  };
}

export function findingsOf(judgement: Judgement): Finding[] {
  return VERDICTS.flatMap((verdict) => judgement[verdict]);
}

export function isGood(judgement: Judgement): boolean {
  return findingsOf(judgement).length === 0;
}

export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
