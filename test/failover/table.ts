/** The result of failovers, as a table for people. */
import { VERDICTS } from "../chaos/judgement.ts";
import { FAULTS, type FaultKind } from "./faults.ts";
import type { FailoverAccount } from "./run.ts";

/** After these Postgres goes on as a primary. */
const STAYS_PRIMARY: FaultKind[] = ["patroni killed", "patroni frozen"];

/**
 * What may never be above 0. Without synchronous replication the last moments before a failover are lost: then only what was
 * done twice counts, and decisions that turned into others.
 */
export function faultsOf({
  mode,
  verdict,
  chaos,
  failovers,
  decided,
  webErrors,
}: FailoverAccount): [string, number][] {
  const { judgement } = chaos;
  const strays = failovers.reduce((sum, { oldSide }) => sum + oldSide.sessions, 0);
  const staying = failovers.filter(({ kind }) => STAYS_PRIMARY.includes(kind));
  const always: [string, number][] = [
    ["nothing decided", decided.length > 0 ? 0 : 1],
    // Each look at the old side may have failed, and so found no session there.
    ["no old side was seen", staying.every(({ oldSide }) => oldSide.primaries === 0) ? staying.length : 0],
    ["doubled", judgement.doubled.length + verdict.doubled.length],
    ["called twice", judgement.calledTwice.length],
    ["sessions at the old side", strays],
    ["internal errors", webErrors],
  ];
  if (mode === "async")
    return [
      ["failovers without a look", failovers.filter(({ paused }) => !paused).length],
      ["misdirected", verdict.misdirected.length],
      ...always,
    ];
  return [
    ["lost", judgement.lost.length + verdict.lost.length],
    ["misdirected", judgement.misdirected.length + verdict.misdirected.length],
    ["wrongly told", judgement.wronglyTold.length],
    ...always,
  ];
}

export function failoverTable(account: FailoverAccount): string {
  const { failovers, decided, verdict, survived, chaos, mode } = account;
  const kinds = FAULTS.map((kind) => failovers.filter((one) => one.kind === kind));
  const old = failovers.map(({ oldSide }) => oldSide);
  const times = (name: string, of: (typeof failovers)[number][]) => [
    name,
    of.length,
    `without writes ${spread(of.map(({ gapMs }) => gapMs))}; leader key ${spread(of.map(({ keyMs }) => keyMs))}`,
  ];
  const count = (how: string) => old.filter(({ writes }) => writes === how).length;
  const { judgement } = chaos;
  const rows: (string | number)[][] = [
    ["mode", mode, `seed ${account.seed}`],
    times("failovers", failovers),
    ...kinds.flatMap((of, nth) => (of.length > 0 ? [times(`  ${FAULTS[nth]}`, of)] : [])),
    ["leader kept its key", survived.length, survived.join(", ")],
    [
      "decisions",
      decided.length,
      `of people at once, ${decided.filter(({ unheard }) => unheard > 0).length} of them repeated; ${chaos.given.taken} of tasks, ${judgement.answered} at servers; ${judgement.agents.calls} agent calls`,
    ],
    [
      "old side",
      old.filter(({ primaries }) => primaries > 0).length,
      `times still a primary without the key; a write past HAProxy: ${count("committed")} committed, ${count("waits")} waited, ${count("refused")} refused`,
    ],
    ["paused to look", failovers.filter(({ paused }) => paused).length, "failovers"],
    ["ended by themselves", [...chaos.ownEnds.values()].reduce((a, b) => a + b, 0)],
    ...VERDICTS.map((name) => [
      name,
      judgement[name].length + (name in verdict ? verdict[name as keyof typeof verdict].length : 0),
    ]),
    ["sessions at old side", old.reduce((sum, { sessions }) => sum + sessions, 0)],
    ["internal errors", account.webErrors],
  ];
  const width = Math.max(...rows.map(([name]) => String(name).length));
  return rows
    .map(([name, value, more]) =>
      `  ${String(name).padEnd(width)}  ${String(value).padStart(6)}  ${more ?? ""}`.trimEnd(),
    )
    .join("\n");
}

function spread(values: number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  return `p50 ${seconds(at(0.5))} s, p99 ${seconds(at(0.99))} s`;
}
