/**
 * What Postgres plans and what it executes for tasks that ask a question, from its own log: without names for
 * statements, as before plans were kept, and with them. Web, engine and Postgres run as in an installation; each
 * task is started, looked at, answered and looked at again, as in a browser.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startChild } from "../child.ts";
import { apiOf } from "../end-to-end/people.ts";
import type { Settings } from "../end-to-end/server.ts";
import type { Figure } from "../figure.ts";
import { startInstallation } from "../installation.ts";
import { type Spent, spentIn } from "./log.ts";

const SERVER = new URL("../end-to-end/server.ts", import.meta.url);
/** Tasks before the measurement; a plan is kept after five uses on a connection. */
const WARM = Number(process.env.BENCH_PLANS_WARM ?? 100);
const TASKS = Number(process.env.BENCH_PLANS_TASKS ?? 30);
/** How many more requests wait in the inbox. */
const WAITING = 40;

export async function run(): Promise<Figure[]> {
  const kept = await measure("1");
  const anew = await measure("0");
  const figure = (
    what: string,
    of: (spent: Spent) => number,
    unit: string,
    goal?: Figure["goal"],
  ): Figure => ({
    what,
    value: of(kept),
    unit,
    ...(goal && { goal }),
    beside: { "without names": of(anew) },
  });
  const share = ({ planned, executed }: Spent) => (100 * planned) / (planned + executed);
  return [
    figure("planning's share of the time in Postgres", share, "%", { atMost: 10 }),
    figure("planned, a task", ({ planned }) => planned / TASKS, "ms"),
    figure("executed, a task", ({ executed }) => executed / TASKS, "ms"),
    figure("statements, a task", ({ statements }) => statements / TASKS, ""),
  ];
}

async function measure(named: "0" | "1"): Promise<Spent> {
  const installation = await startInstallation(["log_min_duration_statement=0", "log_line_prefix=%p %u "]);
  const server = startChild(SERVER);
  try {
    const allowed = { INTRAY_ALLOW_HOSTS: "127.0.0.1", INTRAY_NAMED_STATEMENTS: named };
    const organizationId = await installation.organization("acme");
    const keys = {
      admin: await installation.key(organizationId, "admin"),
      operator: await installation.key(organizationId, "operator"),
    };
    const ben = await installation.member(organizationId, "Ben", "approver");
    const web = await installation.startWeb(allowed);
    await installation.startEngine(allowed);
    const api = apiOf(web.url);
    const { url } = await server.next<{ url: string }>((news) => "url" in news);
    const settings: Settings = { pollMs: 200, askAfterMs: 0, subscribes: false };
    server.send(settings);
    const { id: serverId } = await api(keys.admin, "POST", "/servers", { name: "ERP", url });
    const asBen = async (path: string, body?: object) => {
      const response = await fetch(`${web.url}/api/v1${path}`, {
        method: body ? "POST" : "GET",
        headers: {
          cookie: ben.cookie,
          origin: web.url,
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    };
    const start = async (note: string) => {
      const { id } = await api(keys.operator, "POST", "/tasks", {
        serverId,
        tool: "wait",
        arguments: { note },
      });
      for (;;) {
        const { items } = await asBen(`/input-requests?taskId=${id}`);
        if (items.length > 0) return { id, requestId: items[0].id };
        await sleep(300);
      }
    };
    const live = async (n: number) => {
      const { id, requestId } = await start(`ask ${n}`);
      await asBen("/input-requests?state=open&limit=50");
      await asBen("/input-requests/counts");
      const { questionHash } = await asBen(`/input-requests/${requestId}`);
      await asBen(`/tasks/${id}`);
      const answer = { action: "accept", content: { approve: true }, questionHash, holdMs: 0 };
      await asBen(`/input-requests/${requestId}/answer`, answer);
      await sleep(500);
      await asBen(`/tasks/${id}`);
      await asBen("/tasks?limit=50");
    };
    const all = async (from: number, to: number) => {
      for (let n = from; n < to; n += 5)
        await Promise.all(Array.from({ length: Math.min(5, to - n) }, (_, at) => live(n + at)));
    };
    for (let n = 0; n < WAITING; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, at) => start(`ask waiting ${n + at}`)));
    const admin = new pg.Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
    // Before the plans are made: new statistics are a reason to plan everything anew.
    await admin.query("ANALYZE");
    await all(0, WARM);
    await admin.query("SELECT 'measured from here'");
    await all(WARM, WARM + TASKS);
    await admin.query("SELECT 'measured until here'");
    await admin.end();
    const spent = spentIn(installation.postgresLog(), "measured from here", "measured until here");
    console.log(`with INTRAY_NAMED_STATEMENTS=${named}: ${JSON.stringify(spent)}`);
    return spent;
  } finally {
    await server.end();
    await installation.end();
  }
}
