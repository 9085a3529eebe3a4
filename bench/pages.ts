/**
 * `npm run bench:ops -- --url http://localhost:3000 --key ik_… [--runs 20]`: response times of the calls
 * behind the operations pages on a running installation, by HTTP, with an API key. Read-only. Meant for an
 * installation filled by `npm run seed -- --tasks 50000`. Make a key with
 * `npm run -s intray -- key create --org acme --role owner`. Prints medians, 99th percentiles and minima in
 * ms, and the machine's load: on a busy machine only the minima are meaningful. Exits with 1 if a median
 * exceeds 200 ms.
 */
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://localhost:3000" },
    key: { type: "string" },
    runs: { type: "string", default: "20" },
  },
});
/** The target for every operations page, in ms. */
const LIMIT_MS = 200;
const RUNS = Number(values.runs);
const HOUR = 3600_000;

interface Answer {
  ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: ids are taken out of answers of any shape
  body: any;
}

async function get(path: string): Promise<Answer> {
  for (;;) {
    const began = performance.now();
    const response = await fetch(new URL(`/api/v1${path}`, values.url), {
      headers: { authorization: `Bearer ${values.key}` },
    });
    const text = await response.text();
    const ms = performance.now() - began;
    if (response.ok)
      return { ms, body: response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text };
    if (response.status !== 429) throw new Error(`${path}: ${response.status} ${text}`);
    // Waits out the rate limit, which is not measured.
    await sleep(1_000 * Number(response.headers.get("retry-after") ?? 5));
  }
}

/** Returns the calls of the pages. */
async function calls(): Promise<[page: string, path: string][]> {
  const stuck = (await get("/tasks?attention=stuck&limit=10")).body.items;
  const servers = (await get("/servers?limit=200")).body.items;
  const { items, nextCursor } = (await get("/tasks?limit=200")).body;
  const server = (stuck[0] ?? items[0])?.server.id ?? servers[0].id;
  const task = (stuck[0] ?? items[0]).id;
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  return [
    ["overview, 24 hours", "/overview?range=24h"],
    ["overview, 7 days", "/overview?range=7d"],
    ["overview, 30 days", "/overview?range=30d"],
    ["overview, stuck", "/tasks?attention=stuck&order=oldest&limit=8"],
    ["overview, oldest waiting", "/input-requests?state=open&limit=8"],
    ["tasks, newest", "/tasks?limit=50"],
    ["tasks, a later page", `/tasks?limit=200&cursor=${encodeURIComponent(nextCursor)}`],
    ["tasks, counts", `/tasks/counts?endedAfter=${ago(24 * HOUR)}`],
    ["tasks, any attention", "/tasks?attention=any&limit=50"],
    ["tasks, failed today", `/tasks?state=failed&finishedAfter=${ago(24 * HOUR)}&order=ended&limit=50`],
    ["tasks, of a server", `/tasks?serverId=${server}&limit=50`],
    [
      "tasks, of a week",
      `/tasks?createdAfter=${ago(14 * 24 * HOUR)}&createdBefore=${ago(7 * 24 * HOUR)}&limit=50`,
    ],
    ["tasks, search, common", "/tasks?q=INV-1&limit=50"],
    ["tasks, search, rare", "/tasks?q=INV-10002&limit=50"],
    ["tasks, search, none", "/tasks?q=nothing-is-called-so&limit=50"],
    ["task", `/tasks/${task}`],
    ["task, history", `/tasks/${task}/events`],
    ["task, protocol", `/tasks/${task}/messages`],
    ["servers", "/servers?limit=200"],
    ["server", `/servers/${server}`],
    ["server, a week of calls", `/servers/${server}/stats?range=7d`],
    ["new task, recent arguments", `/tasks/recent-arguments?serverId=${server}&tool=process_invoice`],
    ["activity", "/events?limit=50"],
  ];
}

if (!values.key) {
  process.stderr.write("Give --key: an API key of the organization, of an owner.\n");
  process.exit(2);
}
const rows = [];
for (const [page, path] of await calls()) {
  await get(path);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push((await get(path)).ms);
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.min(RUNS - 1, Math.floor(share * RUNS))]! * 10) / 10;
  rows.push({ page, "p50 ms": at(0.5), "p99 ms": at(0.99), "least ms": at(0), ok: at(0.5) <= LIMIT_MS });
}
console.table(rows);
console.log(`Load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores; ${RUNS} runs each.`);
if (rows.some(({ ok }) => !ok)) process.exitCode = 1;
