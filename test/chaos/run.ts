/** One run of chaos: set the stage, let people work while everything breaks, let it settle, judge. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, apiOf } from "./api.ts";
import { type BlowsDealt, deal } from "./blows.ts";
import { keepEvidence } from "./evidence.ts";
import { gather } from "./facts.ts";
import { planInvoice } from "./invoices.ts";
import { judge } from "./judge.ts";
import { type FaultKind, planBlows, planFault } from "./plan.ts";
import { answerAll, type Population, startInvoices } from "./population.ts";
import { ready, type Stage, setStage } from "./stage.ts";
import { type Account, isGood } from "./table.ts";

export interface RunOptions {
  minutes: number;
  seed: number;
  tasks: number;
  samples: number;
  /** Stretches the pauses between kills and freezes by this factor. */
  pace: number;
  say(line: string): void;
  /** Ends the run, with everything that it started. */
  signal: AbortSignal;
}

/** `evidence`: the folder of logs and facts about each finding; null if the run found none. */
export interface Outcome {
  account: Account;
  evidence: string | null;
}

const ENGINES = 2;
const ANSWERS = new Set(["tasks/update", "answer"]);
const ENDED = new Set(["completed", "failed", "cancelled", "lost", "expired"]);
/** Wait after the faults: retries of the engine pause up to 5 minutes. */
const SETTLE_MS = 7 * 60_000;
/** The share of a run during which tasks start, so that all are under way when the faults stop. */
const STARTS_END = 0.9;

export async function runChaos(options: RunOptions): Promise<Outcome> {
  const { seed, minutes, say } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const durationMs = minutes * 60_000;
  const faults = new Map<FaultKind, number>();
  let doubledByNetwork = 0;
  let raging = false;
  let startedMeanwhile = 0;
  let faultLog = "";
  say("Setting the stage …");
  const stage = await setStage({
    samples: options.samples,
    engines: ENGINES,
    signal,
    proxy: (server) => ({
      plan: (method, nth, kind) =>
        raging ? planFault(seed, server, method, nth, kind) : { fault: null, clockMs: 0 },
      onFault(kind, details) {
        faults.set(kind, (faults.get(kind) ?? 0) + 1);
        if (kind === "duplicated" && ANSWERS.has(String(details.method))) doubledByNetwork++;
        const line = { time: new Date(), server, kind, ...details };
        appendFileSync(faultLog, `${JSON.stringify(line)}\n`);
      },
    }),
  });
  faultLog = join(stage.folder, "logs", "faults.log");
  let keepLogs = true;
  try {
    const startedAt = Date.now();
    let webErrors = 0;
    const api = apiOf(stage.url, signal, (problem) => {
      webErrors++;
      appendFileSync(join(stage.folder, "logs", "web-errors.log"), `${problem}\n`);
    });
    const serverIds = await registerServers(api, stage);
    const people: Population = { started: [], tries: [], resent: 0 };
    const invoices = Array.from({ length: options.tasks }, (_, at) =>
      planInvoice(seed, at, options.tasks, durationMs * STARTS_END),
    );
    const who = { api, keys: stage.keys, seed, serverIds, invoices, signal };
    const parts = Object.values(stage.parts).flat();
    const names = Object.fromEntries(
      Object.entries(stage.parts).map(([kind, each]) => [kind, each.map((part) => part.name)]),
    ) as Parameters<typeof planBlows>[2];
    const dealt: BlowsDealt = { kills: new Map(), freezes: 0, outages: [], missed: 0 };

    say(
      `${minutes} minutes of faults, ${options.tasks} tasks, seed ${seed}. Logs: ${join(stage.folder, "logs")}`,
    );
    let quiet = false;
    const progress = setInterval(() => {
      const kills = [...dealt.kills.values()].reduce((a, b) => a + b, 0);
      const broken = [...faults.values()].reduce((a, b) => a + b, 0);
      const taken = people.tries.filter((made) => made.outcome === "taken").length;
      const at = Math.round((Date.now() - startedAt) / 1000);
      say(`${at} s: ${people.started.length} started, ${taken} answers, ${kills} kills, ${broken} faults`);
    }, 30_000);
    raging = true;
    const storm = Promise.all([
      deal(planBlows(seed, durationMs, names, options.pace), parts, dealt, signal),
      sleep(durationMs, undefined, { signal }),
    ]).then(() => {
      raging = false;
      startedMeanwhile = people.started.length;
    });
    const answering = answerAll(people, who, () => quiet);
    const settled = Promise.all([storm, startInvoices(people, who)])
      .then(() => ready(`${stage.url}/readyz`, signal))
      .then(() => say("The faults are over; waiting for the rest …"))
      .then(() => settle(api, stage, signal));
    try {
      // The first failure ends the run.
      await Promise.race([settled, answering.then(() => settled)]);
    } finally {
      quiet = true;
      clearInterval(progress);
    }
    await answering;

    const facts = await gather(api, stage.keys, seed, stage.samples);
    const judgement = judge(people, facts);
    const taken = people.tries.filter((made) => made.outcome === "taken");
    const account: Account = {
      seed,
      minutes,
      tookMs: Date.now() - startedAt,
      tasks: people.started.length,
      startedMeanwhile,
      kills: byKind(dealt.kills),
      freezes: dealt.freezes,
      outages: dealt.outages,
      ownEnds: byKind(stage.ownEnds),
      faults,
      doubledByNetwork,
      given: {
        taken: taken.length,
        refused: people.tries.filter((made) => made.outcome === "refused").length,
        undone: people.tries.filter((made) => made.undone === "yes").length,
        resent: people.resent,
      },
      webErrors,
      judgement,
    };
    keepLogs = !isGood(judgement);
    if (keepLogs) await keepEvidence(api, stage, people, facts, account);
    return { account, evidence: keepLogs ? stage.folder : null };
  } catch (error) {
    if (!options.signal.aborted) say(`Logs: ${join(stage.folder, "logs")}`);
    throw error;
  } finally {
    over.abort(); // stops restarts
    await stage.end({ keepLogs: keepLogs && !options.signal.aborted });
  }
}

async function registerServers(api: Api, stage: Stage): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, proxyUrl } of stage.samples)
    for (const era of ["2026-07-28", "2025-11-25"]) {
      const body = { name: `${name} (${era})`, url: proxyUrl, era };
      const { body: server } = await api.insist("POST", "/servers", { key: stage.keys.admin, body });
      if (server.health.state !== "ok") throw new Error(`${name} (${era}) is ${server.health.state}`);
      ids.push(server.id);
    }
  return ids;
}

/** Waits until every task has ended, or the time is up; the judgement reports the others. */
async function settle(api: Api, stage: Stage, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (Date.now() < deadline) {
    const tasks = await api.all<{ state: string }>("/tasks", stage.keys.operator);
    if (tasks.every((task) => ENDED.has(task.state))) return;
    await sleep(1_000, undefined, { signal });
  }
}

function byKind(counts: Map<string, number>): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const [name, count] of counts) {
    const kind = name.replace("sample-postgres", "postgres").replace(/-\d+$/, "");
    kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  return kinds;
}
