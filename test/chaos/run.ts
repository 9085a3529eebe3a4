/** One run of chaos: set the stage, let people work while everything breaks, let it settle, judge. */
import { EventEmitter } from "node:events";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { consumeApprovals } from "./agents/approvals.ts";
import { planApprovals, planCalls } from "./agents/plan.ts";
import { prepareAgents } from "./agents/work.ts";
import { type Api, apiOf } from "./api.ts";
import { type DisruptionsDone, deal } from "./disruptions.ts";
import { keepEvidence } from "./evidence.ts";
import { gather } from "./facts.ts";
import {
  type Installation,
  type InstallationOptions,
  ready,
  type Sample,
  startInstallation,
} from "./installation.ts";
import { planInvoice } from "./invoices.ts";
import { judge, type RunRecord } from "./judge.ts";
import { isGood } from "./judgement.ts";
import { type FaultKind, type Moment, planDisruptions, planFault } from "./plan.ts";
import {
  answerAll,
  type Population,
  type PopulationOptions,
  type RegisteredServer,
  startInvoices,
} from "./population.ts";
import { leftToSlackMs, pressAll } from "./slack/presses.ts";
import { areUpToDate, joinWorkspace, openWorkspace } from "./slack/workspace.ts";
import type { Account } from "./table.ts";
import { TUNNEL_PATH, TUNNEL_RECIPE } from "./tunnel.ts";

export interface RunOptions {
  minutes: number;
  seed: number;
  tasks: number;
  samples: number;
  /** Stretches the pauses between kills and freezes by this factor. */
  pace: number;
  /** People also get messages in Slack, and decide there. */
  hasSlack?: boolean;
  /** Starts Intray's own database; by default a single Postgres. */
  database?: InstallationOptions["database"];
  /** What breaks, in place of the planned blows and the bad network. Resolves when everything runs again. */
  storm?: (installation: Installation, signal: AbortSignal) => Promise<void>;
  /** The database may forget its last moments: people and programs pass over what is gone. */
  mayForget?: boolean;
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
/** A program asks for one approval to as many tasks. */
const TASKS_TO_APPROVAL = 4;
/** The share of a run during which tasks start, so that all are under way when the faults stop. */
const STARTS_END = 0.9;
/** The same share for agents and programs, whose calls take longer: an approval comes first. */
const CALLS_END = 0.75;

export async function runChaos(options: RunOptions): Promise<Outcome> {
  const { seed, minutes, say, mayForget = false } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const durationMs = minutes * 60_000;
  const faults = new Map<FaultKind, number>();
  let doubledByNetwork = 0;
  let raging = false;
  let startedMeanwhile = 0;
  let faultLog = "";
  say("Setting the stage …");
  const slack = options.hasSlack ? await openWorkspace(seed, () => raging) : null;
  const installation = await startInstallation({
    database: options.database,
    ...(slack && { slack }),
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
  faultLog = join(installation.folder, "logs", "faults.log");
  let keepLogs = true;
  try {
    const startedAt = Date.now();
    let webErrors = 0;
    const api = apiOf(installation.url, signal, (problem) => {
      webErrors++;
      appendFileSync(join(installation.folder, "logs", "web-errors.log"), `${problem}\n`);
    });
    const { keys, url } = installation;
    const moments = new EventEmitter();
    const emit = (moment: Moment) => () => void moments.emit(moment);
    const startsMs = durationMs * STARTS_END;
    const { tasks } = options;
    const servers = await registerServers(api, installation);
    const workspace = slack && (await joinWorkspace(api, installation, slack));
    const work = await prepareAgents({
      api,
      adminKey: keys.admin,
      url,
      servers,
      // Their numbers go on after those of people's tasks.
      calls: planCalls(seed, tasks, tasks, durationMs * CALLS_END),
      files: installation.clientFiles,
      onCall: emit("call"),
      signal,
    });
    const plans = planApprovals(
      seed,
      2 * tasks,
      Math.ceil(tasks / TASKS_TO_APPROVAL),
      durationMs * CALLS_END,
    );
    const approvals: RunRecord["approvals"] = { plans, approvals: [] };
    const people: Population = { started: [], tries: [], resent: 0 };
    const invoices = Array.from({ length: tasks }, (_, at) => planInvoice(seed, at, tasks, startsMs));
    const serverIds = servers.map(({ id }) => id);
    const isAwaited = (at: number) => work.isAwaited(at);
    const who: PopulationOptions = {
      api,
      keys,
      seed,
      serverIds,
      invoices,
      isAwaited,
      leavesMs: (request) => (workspace ? leftToSlackMs(seed, request) : 0),
      onDecision: emit("decision"),
      mayForget,
      signal,
    };
    const parts = Object.values(installation.parts).flat();
    const names = Object.fromEntries(
      Object.entries(installation.parts).map(([kind, each]) => [kind, each.map((part) => part.name)]),
    ) as Parameters<typeof planDisruptions>[2];
    const done: DisruptionsDone = { kills: new Map(), freezes: 0, outages: [], atMoments: 0, missed: 0 };

    say(
      `${minutes} minutes of faults, ${options.tasks} tasks, seed ${seed}. Logs: ${join(installation.folder, "logs")}`,
    );
    let quiet = false;
    const progress = setInterval(() => {
      const kills = [...done.kills.values()].reduce((a, b) => a + b, 0);
      const broken = [...faults.values()].reduce((a, b) => a + b, 0);
      const taken = people.tries.filter((made) => made.outcome === "taken").length;
      const at = Math.round((Date.now() - startedAt) / 1000);
      say(`${at} s: ${people.started.length} started, ${taken} answers, ${kills} kills, ${broken} faults`);
    }, 30_000);
    work.prepareProcess();
    await Promise.all(installation.parts.client.map((part) => part.start()));
    raging = options.storm === undefined;
    const planned = () =>
      Promise.all([
        deal(planDisruptions(seed, durationMs, names, options.pace), parts, done, moments, signal),
        sleep(durationMs, undefined, { signal }),
      ]);
    const storm = (options.storm?.(installation, signal) ?? planned()).then(() => {
      raging = false;
      startedMeanwhile = people.started.length;
    });
    const answering = answerAll(people, who, () => quiet);
    let consumed = false;
    const pressing = workspace
      ? pressAll(workspace, { seed, tries: people.tries, onDecision: emit("decision"), signal }, () => quiet)
      : Promise.resolve();
    const programs = Promise.all([
      work.callAll(),
      consumeApprovals(approvals.approvals, {
        api,
        seed,
        rivals: keys.rivals,
        plans,
        onUse: emit("use"),
        mayForget,
        signal,
      }).then(() => {
        consumed = true;
      }),
    ]);
    const settled = Promise.all([storm, startInvoices(people, who)])
      .then(() => ready(`${installation.url}/readyz`, signal))
      .then(() => say("The faults are over; waiting for the rest …"))
      .then(() => settle(api, installation, () => work.isDone() && consumed, signal));
    try {
      // The first failure ends the run.
      await Promise.race([settled, answering, pressing, programs].map((each) => each.then(() => settled)));
    } finally {
      quiet = true;
      clearInterval(progress);
    }
    await Promise.all([answering, pressing]);
    const facts = await gather(api, keys, seed, installation.samples);
    if (slack) await areUpToDate(slack, facts, signal);
    const notes = work.notes();
    const record: RunRecord = {
      ...people,
      agents: { calls: work.calls, ids: work.ids, notes },
      approvals,
      messages: slack?.messages ?? null,
    };
    const judgement = judge(record, facts);
    webErrors += notes.filter(({ what }) => what === "internal error").length;
    const taken = people.tries.filter((made) => made.outcome === "taken");
    const account: Account = {
      seed,
      minutes,
      tookMs: Date.now() - startedAt,
      tasks: people.started.length,
      startedMeanwhile,
      kills: byKind(done.kills),
      atMoments: done.atMoments,
      freezes: done.freezes,
      outages: done.outages,
      ownEnds: byKind(installation.ownEnds),
      faults,
      doubledByNetwork,
      given: {
        taken: taken.length,
        refused: people.tries.filter((made) => made.outcome === "refused").length,
        undone: people.tries.filter((made) => made.undone === "yes").length,
        resent: people.resent,
      },
      slack: slack && {
        messages: slack.messages.length,
        edits: slack.messages.reduce((sum, { edits }) => sum + edits, 0),
        presses: people.tries.filter(({ isPress }) => isPress).length,
      },
      webErrors,
      judgement,
    };
    keepLogs = !isGood(judgement);
    if (keepLogs) await keepEvidence(api, installation, record, facts, account);
    return { account, evidence: keepLogs ? installation.folder : null };
  } catch (error) {
    if (!options.signal.aborted) say(`Logs: ${join(installation.folder, "logs")}`);
    throw error;
  } finally {
    over.abort(); // stops restarts
    await slack?.close();
    await installation.end({ keepLogs: keepLogs && !options.signal.aborted });
  }
}

async function registerServers(api: Api, installation: Installation): Promise<RegisteredServer[]> {
  const servers: RegisteredServer[] = [];
  for (const { name, proxyUrl } of addressesOf(installation))
    for (const era of ["2026-07-28", "2025-11-25"]) {
      const body = { name: `${name} (${era})`, url: proxyUrl, era };
      const { body: server } = await api.untilStatus("POST", "/servers", {
        key: installation.keys.admin,
        body,
      });
      if (server.health.state !== "ok") throw new Error(`${name} (${era}) is ${server.health.state}`);
      servers.push({ id: server.id, name: server.name });
      if (proxyUrl.endsWith(TUNNEL_PATH))
        await api.untilStatus("POST", `/servers/${server.id}/recipes`, {
          key: installation.keys.admin,
          body: TUNNEL_RECIPE,
        });
    }
  return servers;
}

/** The samples, and one of them once more as a server that has no tasks. */
function addressesOf({ samples }: Installation): Pick<Sample, "name" | "proxyUrl">[] {
  const { proxyUrl } = samples.find(({ name }) => name === "pair")!;
  return [...samples, { name: "tunnel", proxyUrl: new URL(TUNNEL_PATH, proxyUrl).href }];
}

/** Waits until every task has ended and whoever waits has been told, or the time is up; the judgement reports the others. */
async function settle(
  api: Api,
  installation: Installation,
  areAllTold: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (Date.now() < deadline) {
    const tasks = await api.all<{ state: string }>("/tasks", installation.keys.operator);
    if (tasks.every((task) => ENDED.has(task.state)) && areAllTold()) return;
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
