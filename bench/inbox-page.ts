/**
 * `npm run bench:page [-- --requests 500 --runs 3 --url U]`: a browser's figures for the inbox with many open
 * requests, with a cold cache, on a desktop and on a phone. Adds Lighthouse's scores if `lighthouse` is on
 * the PATH.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { type Browser, chromium, type Page } from "@playwright/test";
import { startIntray } from "../e2e/fixtures/intray.ts";
import { apiOf, ERAS, openPageAs, startInvoice } from "../e2e/fixtures/test.ts";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { InputRequestSummary } from "../lib/requests/request-schema.ts";
import { build } from "../scripts/build/build.ts";
import { findOrInstallChromium } from "../scripts/chromium.ts";
import { type Figures, measure, PROFILES } from "./page-figures.ts";

/** A row of the list, whatever its markup: a link to a request. */
const ROW = '[aria-label="Requests"] a[href*="/inbox/"]';

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "500" },
    runs: { type: "string", default: "3" },
  },
});

await build(say);
const executablePath = findOrInstallChromium(say);
if (!executablePath) process.exit(1);
const intray = await startIntray({ LOG_LEVEL: "error" });
process.env.E2E_URL = intray.url;
const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--disable-dev-shm-usage"],
});
try {
  await bench(browser);
} finally {
  await browser.close();
  await intray.stop();
}

async function bench(browser: Browser): Promise<void> {
  const ola = await openPageAs(browser, "Ola");
  say(`Filling the inbox with ${values.requests} requests …`);
  await fillInbox(ola, Number(values.requests));
  await ola.context().close();
  const ben = await openPageAs(browser, "Ben");
  const storageState = await ben.context().storageState();
  await ben.context().close();

  const columns: [string, Figures[]][] = [];
  for (const profile of PROFILES) {
    const place = { url: intray.url, path: "/inbox", row: ROW, storageState };
    // The first run also warms up the server.
    await measure(browser, profile, place);
    const runs: Figures[] = [];
    for (let run = 0; run < Number(values.runs); run++) runs.push(await measure(browser, profile, place));
    columns.push([profile.name, runs]);
  }
  print(columns);
  const cookies = storageState.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  for (const { name } of PROFILES) await lighthouse(name, cookies);
}

function print(columns: [string, Figures[]][]): void {
  const ms = (value: number | null) => (value === null ? "never" : `${Math.round(value)} ms`);
  const kb = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`;
  const rows: [string, (figures: Figures) => number | null, (value: number | null) => string][] = [
    ["First contentful paint", (f) => f.firstPaint, ms],
    ["Largest contentful paint", (f) => f.largestPaint, ms],
    ["First row on the screen", (f) => f.firstRow, ms],
    ["Total blocking time", (f) => f.blocking, ms],
    ["Cumulative layout shift", (f) => f.layoutShift, (value) => (value ?? 0).toFixed(3)],
    ["JavaScript, gzipped", (f) => f.scriptBytes, (value) => kb(value ?? 0)],
    ["CSS, gzipped", (f) => f.styleBytes, (value) => kb(value ?? 0)],
    ["Document, gzipped", (f) => f.documentBytes, (value) => kb(value ?? 0)],
    ["API replies, gzipped", (f) => f.apiBytes, (value) => kb(value ?? 0)],
    ["Requests", (f) => f.requests, String],
    ["DOM elements", (f) => f.domNodes, String],
    ["JavaScript heap", (f) => f.heapBytes, (value) => kb(value ?? 0)],
  ];
  say(
    `\n/inbox, ${values.requests} open requests, medians of ${values.runs} cold runs, ${cpus().length} cores`,
  );
  say(`| figure | ${columns.map(([name]) => name).join(" | ")} |`);
  say(`| --- | ${columns.map(() => "---:").join(" | ")} |`);
  for (const [name, pick, write] of rows)
    say(`| ${name} | ${columns.map(([, runs]) => write(median(runs.map(pick)))).join(" | ")} |`);
  const scripts = [...(columns[0]?.[1][0]?.scripts ?? [])].sort((a, b) => b.bytes - a.bytes);
  say("\nScripts on a desk:");
  for (const { path, bytes } of scripts) say(`${kb(bytes).padStart(10)}  ${path}`);
}

function median(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? null;
}

/** Runs Lighthouse if installed; it is no dependency of Intray. */
async function lighthouse(profile: string, cookie: string): Promise<void> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const program = folders.map((folder) => join(folder, "lighthouse")).find((path) => existsSync(path));
  if (!program) return;
  const folder = mkdtempSync(join(tmpdir(), "intray-lighthouse-"));
  const [headers, report] = [join(folder, "headers.json"), join(folder, "report.json")];
  writeFileSync(headers, JSON.stringify({ cookie }), { mode: 0o600 });
  const root = process.getuid?.() === 0 ? " --no-sandbox" : "";
  try {
    await promisify(execFile)(
      program,
      [
        `${intray.url}/inbox`,
        `--extra-headers=${headers}`,
        `--output-path=${report}`,
        "--output=json",
        "--quiet",
        `--chrome-flags=--headless=new --disable-dev-shm-usage${root}`,
        // The stream of changes never ends, so Lighthouse needs a time limit for loading.
        "--max-wait-for-load=30000",
        ...(profile === "desk" ? ["--preset=desktop"] : []),
      ],
      { env: { ...process.env, CHROME_PATH: executablePath }, maxBuffer: 1e8 },
    );
    const { categories, audits } = JSON.parse(readFileSync(report, "utf8")) as Report;
    say(`\nLighthouse, ${profile}:`);
    for (const { title, score } of Object.values(categories))
      say(`${String(Math.round((score ?? 0) * 100)).padStart(5)}  ${title}`);
    for (const { title, score, displayValue, scoreDisplayMode } of Object.values(audits))
      if (score !== null && score < 0.9 && scoreDisplayMode !== "informative")
        say(`       · ${title}${displayValue ? `: ${displayValue}` : ""}`);
  } catch (error) {
    say(`Lighthouse, ${profile}: ${String((error as Error).message).slice(0, 2_000)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Report {
  categories: Record<string, { title: string; score: number | null }>;
  audits: Record<
    string,
    { title: string; score: number | null; displayValue?: string; scoreDisplayMode: string }
  >;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const AT_ONCE = 8;
const LONGEST_MS = 300_000;

/** Starts sample invoices and waits until each has asked, so that the bench measures real requests. */
async function fillInbox(starter: Page, requests: number): Promise<void> {
  let left = requests;
  const start = async () => {
    while (left-- > 0) await startInvoice(starter, { era: ERAS[0], sample: left % 3 ? "acme" : "large" });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, start));
  const deadline = Date.now() + LONGEST_MS;
  while ((await countOpen(starter)) < requests) {
    if (Date.now() > deadline) throw new Error(`Not all of ${requests} tasks have asked.`);
    await starter.waitForTimeout(1_000);
  }
}

async function countOpen(page: Page): Promise<number> {
  let [count, cursor]: [number, string | null] = [0, null];
  do {
    const place: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const list: ListPage<InputRequestSummary> = await apiOf(page).get(
      `/input-requests?state=open&limit=200${place}`,
    );
    count += list.items.length;
    cursor = list.nextCursor;
  } while (cursor);
  return count;
}
