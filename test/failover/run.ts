/** Failover after failover, while people decide and agents call; then the judgement. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, apiOf } from "../chaos/api.ts";
import type { Installation } from "../chaos/installation.ts";
import { between, randomFor } from "../chaos/random.ts";
import { runChaos } from "../chaos/run.ts";
import type { Account } from "../chaos/table.ts";
import { type Cluster, type Mode, startCluster } from "./cluster.ts";
import { FAULTS, type FaultKind, mend, type OldSide, strike, successor, watchOldSide } from "./faults.ts";
import { type Decided, judgeDecisions, startPeople, type Verdict } from "./people.ts";
import type { Programs } from "./programs.ts";

export interface FailoverOptions {
  failovers: number;
  mode: Mode;
  seed: number;
  programs: Programs;
  say(line: string): void;
  /** Ends the run. */
  signal: AbortSignal;
}

export interface Failover {
  kind: FaultKind;
  /** From the fault until another member has the leader key. */
  keyMs: number;
  /** The longest time between two decisions that were taken, from before the fault to the next one. */
  gapMs: number;
  oldSide: OldSide;
  /** Engines paused all servers, so that somebody looks before anything is sent. */
  paused: boolean;
}

export interface FailoverAccount {
  mode: Mode;
  seed: number;
  failovers: Failover[];
  /** Faults after which the leader kept its key, by kind. */
  survived: FaultKind[];
  /** Times the web app answered 500. */
  webErrors: number;
  decided: Decided[];
  verdict: Verdict;
  chaos: Account;
}

/** One failover, with the return of the member that was struck, takes about this long. */
const EACH_MS = 25_000;
const TASKS_EACH = 2;
const SUCCESSOR_MS = 60_000;
const BEFORE_MS = [1_000, 3_000] as const;
const APART_MS = [2_000, 5_000] as const;
const PAUSE_MS = 30_000;

export async function runFailovers(
  options: FailoverOptions,
): Promise<{ account: FailoverAccount; evidence: string | null }> {
  const { seed, mode, failovers, say } = options;
  let cluster: Cluster;
  let storm: Awaited<ReturnType<typeof failOver>>;
  const { account: chaos, evidence } = await runChaos({
    minutes: (failovers * EACH_MS) / 60_000,
    seed,
    tasks: failovers * TASKS_EACH,
    samples: 1,
    pace: 1,
    say,
    signal: options.signal,
    mayForget: mode === "async",
    async database(place) {
      cluster = await startCluster({ ...place, programs: options.programs, mode });
      return cluster;
    },
    async storm(installation, signal) {
      storm = await failOver(options, installation, cluster, signal);
    },
  });
  const done = storm!;
  const webErrors = done.webErrors + chaos.webErrors;
  return { account: { mode, seed, ...done, webErrors, chaos }, evidence };
}

async function failOver(
  { seed, failovers, mode, say }: FailoverOptions,
  installation: Installation,
  cluster: Cluster,
  signal: AbortSignal,
) {
  const log = join(installation.folder, "logs", "failovers.log");
  let webErrors = 0;
  const api = apiOf(installation.url, signal, (problem) => {
    webErrors++;
    appendFileSync(log, `${problem}\n`);
  });
  const { admin } = installation.keys;
  const keys = await installation.openOrganization("people");
  const people = startPeople(api, keys, seed, signal);
  const random = randomFor(seed, "failovers");
  const done: (Omit<Failover, "gapMs"> & { at: number })[] = [];
  const survived: FaultKind[] = [];
  let bag: FaultKind[] = [];
  while (done.length < failovers) {
    const leader = await cluster.whole(signal);
    await sleep(between(random, ...BEFORE_MS), undefined, { signal });
    if (bag.length === 0) bag = [...FAULTS];
    const [kind] = bag.splice(Math.floor(random() * bag.length), 1) as [FaultKind];
    const at = Date.now();
    strike(kind, leader);
    const next = await successor(cluster, leader, SUCCESSOR_MS, signal);
    const keyMs = Date.now() - at;
    const apartMs = between(random, ...APART_MS);
    if (next === null) survived.push(kind);
    else {
      const oldSide = await watchOldSide(cluster, leader, apartMs, signal);
      const paused = await arePaused(api, admin, mode === "async" ? PAUSE_MS : 0, signal);
      done.push({ kind, keyMs, at, oldSide, paused });
    }
    mend(leader);
    // Somebody has looked. The judge compares with the ledgers at the end.
    for (const { id } of await serversOf(api, admin))
      await api.untilStatus("POST", `/servers/${id}/resume`, { key: admin });
    const line = `${done.length}: ${kind}: ${leader.name} → ${next ?? "the same"} in ${keyMs} ms`;
    appendFileSync(log, `${new Date(at).toISOString()} ${line} ${JSON.stringify(done.at(-1))}\n`);
    say(line);
  }
  await cluster.whole(signal);
  await sleep(BEFORE_MS[1], undefined, { signal });
  await people.stop();
  const { decided } = people;
  return {
    failovers: done.map(({ at, ...one }, nth) => ({
      ...one,
      gapMs: longestGap(decided, at, done[nth + 1]?.at ?? Number.POSITIVE_INFINITY),
    })),
    survived,
    webErrors,
    decided,
    verdict: await judgeDecisions(api, keys, decided),
  };
}

interface SeenServer {
  id: string;
  pause: object | null;
}

const serversOf = (api: Api, admin: string) => api.all<SeenServer>("/servers", admin);

async function arePaused(api: Api, admin: string, withinMs: number, signal: AbortSignal): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; ; await sleep(200, undefined, { signal })) {
    const servers = await serversOf(api, admin);
    if (servers.every(({ pause }) => pause !== null)) return true;
    if (Date.now() >= deadline) return false;
  }
}

/** The longest time between two decisions of which the second came from `from` to `to`. */
function longestGap(decided: Decided[], from: number, to: number): number {
  const times = decided.map(({ at }) => at).sort((a, b) => a - b);
  const gaps = times.flatMap((at, nth) => (at >= from && at < to && nth > 0 ? at - times[nth - 1]! : []));
  return Math.max(0, ...gaps);
}
