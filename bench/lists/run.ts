/**
 * Response times of the inbox and the task lists over 100,000 open and 1,000,000 settled requests of one
 * organization, beside a neighbour's: by HTTP, to the real web process, as a signed-in approver. Then the inbox
 * again, when people vote in stages on all that is open.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, quantile } from "../figure.ts";
import { startInstallation } from "../installation.ts";
import { fillByCopies } from "./fill.ts";
import { putUnderStages } from "./stages.ts";

const RUNS = Number(process.env.BENCH_LISTS_RUNS ?? 100);
const OPEN = Number(process.env.BENCH_LISTS_OPEN ?? 100_000);
const SETTLED = Number(process.env.BENCH_LISTS_SETTLED ?? 1_000_000);
const MEMBERS = 20;

/** Settings that speed up filling, which is not measured, and do not affect reads. */
const QUICK_TO_FILL = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_wal_size=20GB",
  "autovacuum=off",
  "jit=off",
];

type Call = (path: string) => Promise<{ ms: number; body: Body }>;
// biome-ignore lint/suspicious/noExplicitAny: ids and cursors are taken out of answers of any shape
type Body = any;

export async function run(): Promise<Figure[]> {
  const installation = await startInstallation(QUICK_TO_FILL);
  try {
    const organizationId = await installation.organization("many");
    const ben = await installation.member(organizationId, "Ben", "approver");
    const others: string[] = [];
    for (let n = 1; n < MEMBERS; n++)
      others.push((await installation.member(organizationId, `Person ${n}`, "approver")).userId);
    const neighbour = await installation.organization("beside");
    await installation.member(neighbour, "Gus", "approver");
    const began = performance.now();
    await fillByCopies(installation.database, neighbour, { open: OPEN / 20, settled: SETTLED / 20 });
    await fillByCopies(installation.database, organizationId, { open: OPEN, settled: SETTLED });
    const seconds = (performance.now() - began) / 1000;
    const web = await installation.startWeb();
    const call: Call = async (path) => {
      const sentAt = performance.now();
      const response = await fetch(`${web.url}/api/v1${path}`, { headers: { cookie: ben.cookie } });
      const body = await response.json();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
      return { ms: performance.now() - sentAt, body };
    };
    const plain = await measure(await calls(call), call);
    await putUnderStages(installation.database.adminUrl, organizationId, {
      voter: ben.userId,
      others: others.slice(0, 3),
    });
    const staged = (await calls(call)).filter(([, what]) => what.includes("inbox"));
    return [
      { what: `filled with ${OPEN + SETTLED} requests in`, value: seconds, unit: "s" },
      ...plain,
      ...(await measure(staged, call)).map((figure) => ({ ...figure, what: `in stages: ${figure.what}` })),
    ];
  } finally {
    await installation.end();
  }
}

const GOALS = { page: 60, search: 100 };
type Kind = keyof typeof GOALS;

type Measured = [kind: Kind, what: string, path: string];

async function measure(measured: Measured[], call: Call): Promise<Figure[]> {
  const figures: Figure[] = [];
  const all: Record<Kind, number[]> = { page: [], search: [] };
  const slowest: Record<Kind, { what: string; p99: number }> = {
    page: { what: "", p99: 0 },
    search: { what: "", p99: 0 },
  };
  for (const [kind, what, path] of measured) {
    for (let warm = 0; warm < 3; warm++) await call(path);
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      times.push((await call(path)).ms);
      await sleep(1);
    }
    const p99 = quantile(times, 0.99);
    all[kind].push(...times);
    if (p99 > slowest[kind].p99) slowest[kind] = { what, p99 };
    figures.push({ what: `${what}, p50`, value: quantile(times, 0.5), unit: "ms" });
    figures.push({ what: `${what}, p99`, value: p99, unit: "ms", goal: { atMost: GOALS[kind] } });
  }
  for (const kind of ["page", "search"] as const)
    figures.push({
      what: `${kind === "page" ? "inbox page" : "search"}, p99 of all`,
      value: quantile(all[kind], 0.99),
      unit: "ms",
      goal: { atMost: GOALS[kind] },
    });
  return figures;
}

/** Returns the calls of the pages, including the pages that scrolling loads. */
async function calls(call: Call): Promise<Measured[]> {
  const deep = async (list: string) => {
    let cursor = "";
    for (let page = 0; page < 20; page++) {
      const { nextCursor } = (await call(`${list}&limit=200${cursor}`)).body;
      if (!nextCursor) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    return `${list}&limit=50${cursor}`;
  };
  const open = "/input-requests?state=open";
  const done = "/input-requests?state=answered,settled,withdrawn,expired,undeliverable&order=decided";
  const [first] = (await call(`${open}&tool=process_invoice&limit=1`)).body.items;
  const server = first.server?.id ?? first.task?.server?.id;
  const words = (text: string) => encodeURIComponent(text);
  return [
    ["page", "inbox, most urgent first", `${open}&order=urgent`],
    ["page", "inbox, oldest first", open],
    ["page", "inbox, newest first", `${open}&order=newest`],
    ["page", "inbox, due soonest", `${open}&order=due`],
    ["page", "inbox, ending soonest", `${open}&order=expiring`],
    ["page", "inbox, largest amount", `${open}&order=amount`],
    ["page", "inbox, unassigned", `${open}&assignee=none`],
    ["page", "inbox, mine", `${open}&assignee=me`],
    ["page", "inbox, waiting for me", `${open}&waiting=me&order=urgent`],
    ["page", "inbox, waiting for others after my vote", `${open}&voted=true`],
    ["page", "inbox, done", done],
    ["page", "inbox, a deep page", await deep(open)],
    ["page", "inbox, a deep page of what is urgent", await deep(`${open}&order=urgent`)],
    ["page", "inbox, a deep page by end", await deep(`${open}&order=expiring`)],
    ["page", "inbox, a deep page by amount", await deep(`${open}&order=amount`)],
    ["page", "inbox, of one server", `${open}&serverId=${server}`],
    ["page", "inbox, of a rare tool", `${open}&tool=sign_contract`],
    ["page", "inbox, of a tool that is none", `${open}&tool=none`],
    ["page", "inbox, amounts from 24,000", `${open}&amountMin=24000&amountMax=25000`],
    ["page", "inbox, counts of its tabs", "/input-requests/counts"],
    ["page", "inbox, a request", `/input-requests/${first.id}`],
    ["page", "inbox, similar ones", `/input-requests/${first.id}/similar`],
    ["search", "search the inbox, common words", `${open}&q=invoice`],
    ["search", "search the inbox, rare words", `${open}&q=${words("po-77")}`],
    ["search", "search the inbox, an amount", `${open}&q=${words("8,320.00")}`],
    ["search", "search the inbox, nothing found", `${open}&q=${words("no such words")}`],
    ["search", "search what is done, common words", `${done}&q=invoice`],
    ["search", "search what is done, nothing found", `${done}&q=${words("no such words")}`],
    ["search", "count what a search finds", "/input-requests/counts?q=invoice"],
    ["page", "tasks, newest", "/tasks?limit=50"],
    ["page", "tasks, a deep page", await deep("/tasks?order=newest")],
    ["page", "tasks, completed", "/tasks?state=completed&limit=50"],
    ["page", "tasks, of one server", `/tasks?serverId=${server}&limit=50`],
    ["page", "tasks, counts", `/tasks/counts?endedAfter=${new Date(Date.now() - 86_400_000).toISOString()}`],
    ["search", "search tasks, common words", "/tasks?q=INV-1&limit=50"],
    ["search", "search tasks, rare words", `/tasks?q=${words("PO-77")}&limit=50`],
    ["search", "search tasks, nothing found", `/tasks?q=${words("no such words")}&limit=50`],
  ];
}
