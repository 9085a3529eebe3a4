/**
 * The policy at work: a replay of 10,000 decided requests, as the web's process makes it, with how long it keeps other calls
 * waiting; and matching 100 rules with 100 requests a second, as a capture does.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Principal } from "../../lib/access/principal.ts";
import { createDatabase } from "../../lib/base/db/db.ts";
import type { AskedRequest } from "../../lib/policy/facts.ts";
import { judgePolicy } from "../../lib/policy/judge.ts";
import { type Policy, policyInputSchema } from "../../lib/policy/policy-schema.ts";
import { replayPolicy } from "../../lib/requests/replay/replay.ts";
import type { ReplayLine } from "../../lib/requests/replay/replay-schema.ts";
import { fill } from "../../scripts/seed/fill.ts";
import { type Figure, quantile } from "../figure.ts";
import { startInstallation } from "../installation.ts";

const REQUESTS = 10_000;
/** Some of the seed's settled requests are private, or were cancelled before anybody decided. */
const SEEDED = REQUESTS * 1.2;
const RULES = 100;
/** Judged requests, at 100 a second. */
const JUDGED = 2_000;
const JUDGED_EVERY_MS = 10;

/** None matches, so that each request is asked all of them. */
const RULES_OF_POLICY = Array.from({ length: RULES }, (_, n) => ({
  name: `Rule ${n}`,
  when: `server.name != "Other" && tool != "tool_${n}" && request.amount != null && request.amount >= ${1_000_000 + n}.0 && requester.groups.exists(g, g == "group_${n}")`,
  stages: [{ name: "Stage", approvers: { roles: ["approver"] } }],
}));
const AUTOMATIC = [
  {
    name: "Small and known",
    when: "request.amount != null && request.amount < 500.0 && similar.accepted >= 5 && similar.declined == 0",
    answer: { action: "accept", content: { value: "approve" } },
    mode: "shadow",
  },
  { name: "Twice", when: "similar.repeats", answer: { action: "decline" } },
];
const POLICY = policyInputSchema.parse({ rules: RULES_OF_POLICY, automatic: AUTOMATIC });

export async function run(): Promise<Figure[]> {
  return [...(await measureReplay()), ...(await measureMatching())];
}

async function measureReplay(): Promise<Figure[]> {
  const installation = await startInstallation();
  try {
    const organizationId = await installation.organization("acme");
    await installation.member(organizationId, "Ana", "owner");
    await installation.member(organizationId, "Ben", "approver");
    await fillAMonth(installation.database, organizationId);
    const db = createDatabase(installation.database.appUrl, { connections: 2 });
    const principal: Principal = {
      organizationId,
      userId: null,
      role: "admin",
      actor: { kind: "key", id: null, name: "Bench" },
    };
    const replay = async () => {
      const now = new Date();
      const from = new Date(now.getTime() - 31 * 86_400_000);
      const [cpu, began] = [process.cpuUsage(), performance.now()];
      let last: ReplayLine | null = null;
      const replayed = { version: null, policy: POLICY, people: {}, groups: {} };
      for await (const line of replayPolicy(principal, replayed, { from, now }, (work) =>
        db.withOrganization(organizationId, work),
      ))
        last = line;
      const seconds = (performance.now() - began) / 1000;
      if (last?.kind !== "summary" || last.requests !== REQUESTS)
        throw new Error(`not ${REQUESTS} requests were replayed: ${JSON.stringify(last)}`);
      const { user, system } = process.cpuUsage(cpu);
      return { seconds, cpu: (user + system) / 1e6 };
    };
    await replay();
    const replayed = await waitedDuring(replay);
    const idle = await waitedDuring(() => sleep(5_000));
    await db.close();
    const what = `a replay of ${REQUESTS.toLocaleString("en")} requests by ${RULES} rules and ${AUTOMATIC.length} automatic ones`;
    const { seconds, cpu } = replayed.result;
    return [
      { what, value: seconds, unit: "s", goal: { atMost: 20 } },
      { what: `${what}, CPU of the process`, value: cpu, unit: "s" },
      {
        ...{ what: "the longest that it keeps other calls waiting, in CPU", unit: "ms" },
        ...{ value: replayed.longest, goal: { atMost: 20 } },
      },
      { what: "the same, p99", value: replayed.p99, unit: "ms" },
      {
        ...{ what: "by the clock, p99", value: replayed.lateP99, unit: "ms" },
        beside: { "without it": idle.lateP99 },
      },
    ];
  } finally {
    await installation.end();
  }
}

/**
 * How long the process worked without looking at its timers, in CPU: how long its other calls wait, wherever it gets a core. Beside
 * it how late its timers were by the clock, which on a busy machine is mostly waiting for a core.
 */
async function waitedDuring<T>(
  work: () => Promise<T>,
): Promise<{ result: T; p99: number; longest: number; lateP99: number }> {
  const turns: number[] = [];
  const late: number[] = [];
  let [cpu, at] = [process.cpuUsage(), performance.now()];
  const probe = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    turns.push((user + system) / 1000);
    late.push(performance.now() - at);
    [cpu, at] = [process.cpuUsage(), performance.now()];
  }, 1);
  const result = await work();
  clearInterval(probe);
  return {
    result,
    ...{ p99: quantile(turns, 0.99), longest: quantile(turns, 1), lateP99: quantile(late, 0.99) },
  };
}

/** The seed's settled requests, whose year becomes a month. */
async function fillAMonth(
  urls: { ownerUrl: string; adminUrl: string },
  organizationId: string,
): Promise<void> {
  const owner = new pg.Client({ connectionString: urls.ownerUrl });
  await owner.connect();
  await fill(owner, organizationId, { open: 0, settled: SEEDED });
  await owner.end();
  const admin = new pg.Client({ connectionString: urls.adminUrl });
  await admin.connect();
  await admin.query("SET session_replication_role = replica");
  for (const table of ["input_request", "answer"])
    await admin.query(`UPDATE ${table} SET created_at = now() - (now() - created_at) * 30 / 365`);
  await admin.query("VACUUM ANALYZE");
  await admin.end();
}

/** Rules as they are written: each about one tool of a server, from an amount on. A tenth are about the server that asks. */
const RULES_OF_TOOLS = policyInputSchema.parse({
  rules: Array.from({ length: RULES }, (_, n) => ({
    name: `Rule ${n}`,
    when: `server.name == "Server ${n % 10}" && tool == "tool_${n}" && request.amount != null && request.amount >= ${n}.0`,
    stages: [{ name: "Stage", approvers: { roles: ["approver"] } }],
  })),
});

async function measureMatching(): Promise<Figure[]> {
  return [
    ...(await matched("rules of tools", RULES_OF_TOOLS, 1)),
    ...(await matched("rules that all ask for amounts and groups", POLICY, null)),
  ];
}

async function matched(rules: string, policy: Policy, goal: number | null): Promise<Figure[]> {
  const replayed = { version: 1, policy, people: {}, groups: {} };
  const [cpu, times]: [number[], number[]] = [[], []];
  for (let n = 0; n < JUDGED; n++) {
    const asked = askedNumber(n);
    const [before, began] = [process.cpuUsage(), performance.now()];
    if (judgePolicy(replayed, asked) !== null) throw new Error("a rule matched");
    times.push(performance.now() - began);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    await sleep(JUDGED_EVERY_MS);
  }
  const what = `${1000 / JUDGED_EVERY_MS} requests a second, each by ${RULES} ${rules}`;
  const its = (name: string, value: number) => ({ what: `${what}, ${name}`, value, unit: "ms" });
  return [
    its("CPU, p50", quantile(cpu, 0.5)),
    { ...its("CPU, p99", quantile(cpu, 0.99)), ...(goal !== null && { goal: { atMost: goal } }) },
    its("by the clock, p50", quantile(times, 0.5)),
    its("by the clock, p99", quantile(times, 0.99)),
  ];
}

function askedNumber(n: number): AskedRequest {
  const lines = Array.from({ length: 5 }, (_, line) => ({ description: `Line ${line}`, amount: 100 + line }));
  return {
    server: { id: "1", name: "Server 7" },
    tool: "process_invoice",
    task: {
      label: `INV-${n}`,
      arguments: { invoice: { invoice_id: `INV-${n}`, customer: "ACME Corp", total: 2_000_000 + n, lines } },
      createdAt: new Date(),
    },
    request: {
      ...{ message: `Approve INV-${n}?`, amount: 2_000_000 + n, currency: "USD", fields: ["value"] },
      ...{ url: null, askedAgain: false },
    },
    requester: {
      actor: { kind: "member", id: "2", name: "Ola" },
      ...{ role: "operator", groups: ["finance", "group"] },
    },
    now: new Date(),
  };
}
