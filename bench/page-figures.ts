/**
 * A browser's figures for a fresh page load, measured by Chromium itself; Lighthouse reports the same ones.
 */
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";

export interface Profile {
  name: string;
  context: BrowserContextOptions;
  /** The CPU slowdown relative to this machine. */
  cpu: number;
  /** Null for no throttling. */
  network: { latencyMs: number; kbps: number } | null;
}

/** Lighthouse's two profiles: a desktop on a fast connection, and a mid-range phone on slow 4G. */
export const PROFILES: Profile[] = [
  { name: "desk", context: { viewport: { width: 1440, height: 900 } }, cpu: 1, network: null },
  {
    name: "phone",
    context: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
    cpu: 4,
    network: { latencyMs: 150, kbps: 1_638 },
  },
];

/** Times in ms since the navigation began; bytes gzipped. */
export interface Figures {
  firstPaint: number;
  largestPaint: number;
  /** Null if no row appeared. */
  firstRow: number | null;
  blocking: number;
  layoutShift: number;
  requests: number;
  scriptBytes: number;
  styleBytes: number;
  documentBytes: number;
  apiBytes: number;
  domNodes: number;
  heapBytes: number;
  scripts: ScriptFile[];
}

export interface ScriptFile {
  path: string;
  bytes: number;
}

const QUIET_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * Opens `path` in a new browser context (a cold cache), waits until the page is idle, and returns the
 * figures.
 */
export async function measure(
  browser: Browser,
  profile: Profile,
  place: { url: string; path: string; row: string; storageState: BrowserContextOptions["storageState"] },
): Promise<Figures> {
  const context = await browser.newContext({
    ...profile.context,
    baseURL: place.url,
    storageState: place.storageState,
  });
  try {
    const page = await context.newPage();
    await page.addInitScript(observe, place.row);
    await slowDown(page, profile);
    const files = collectFiles(page);
    await page.goto(place.path);
    await untilQuiet(page, files);
    return { ...(await read(page)), ...(await files.sizes()) };
  } finally {
    await context.close();
  }
}

async function slowDown(page: Page, { cpu, network }: Profile): Promise<void> {
  const session = await page.context().newCDPSession(page);
  if (cpu > 1) await session.send("Emulation.setCPUThrottlingRate", { rate: cpu });
  if (!network) return;
  const bytesASecond = (network.kbps * 1_024) / 8;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: network.latencyMs,
    downloadThroughput: bytesASecond,
    uploadThroughput: bytesASecond / 2,
  });
}

/** Collects the sizes of responses. Bodies are gzipped here, so that a proxy does not affect the figures. */
export function collectFiles(page: Page) {
  const found: { path: string; kind: string; bytes: Promise<number> }[] = [];
  let last = performance.now();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith("/stream")) return;
    last = performance.now();
    const kind = response.request().resourceType();
    const bytes = response.body().then(
      (body) => gzipSync(body).byteLength,
      () => 0, // a redirect, or an aborted request
    );
    found.push({ path: pathname, kind, bytes });
  });
  const sum = async (wanted: (file: (typeof found)[number]) => boolean) => {
    const all = await Promise.all(found.filter(wanted).map(({ bytes }) => bytes));
    return all.reduce((total, bytes) => total + bytes, 0);
  };
  return {
    quietMs: () => performance.now() - last,
    async scripts(): Promise<ScriptFile[]> {
      const scripts = found.filter(({ kind }) => kind === "script");
      return Promise.all(scripts.map(async ({ path, bytes }) => ({ path, bytes: await bytes })));
    },
    async sizes() {
      const scripts = await this.scripts();
      return {
        requests: found.length,
        scripts,
        scriptBytes: scripts.reduce((total, { bytes }) => total + bytes, 0),
        styleBytes: await sum(({ kind }) => kind === "stylesheet"),
        documentBytes: await sum(({ kind }) => kind === "document"),
        apiBytes: await sum(({ path }) => path.startsWith("/api/")),
      };
    },
  };
}

/** Resolves once the network and the main thread have been idle for a while. */
async function untilQuiet(page: Page, files: ReturnType<typeof collectFiles>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (performance.now() < deadline) {
    await page.waitForTimeout(100);
    const idle = await page.evaluate(() => performance.now() - (window as unknown as Seen).seen.busyUntil);
    if (idle > QUIET_MS && files.quietMs() > QUIET_MS) return;
  }
  throw new Error("The page does not come to rest.");
}

async function read(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
  const seen = await page.evaluate(() => (window as unknown as Seen).seen);
  return {
    firstPaint: seen.firstPaint,
    largestPaint: seen.largestPaint,
    firstRow: seen.firstRow,
    // Before the first paint nobody waits for a response to a key.
    blocking: seen.long
      .filter(({ start }) => start >= seen.firstPaint)
      .reduce((total, { duration }) => total + duration - 50, 0),
    layoutShift: seen.layoutShift,
    domNodes: await page.evaluate(() => document.querySelectorAll("*").length),
    heapBytes: metric("JSHeapUsedSize"),
  };
}

interface Seen {
  seen: {
    firstPaint: number;
    largestPaint: number;
    layoutShift: number;
    firstRow: number | null;
    busyUntil: number;
    long: { start: number; duration: number }[];
  };
}

/** Runs in the page before its own scripts. */
function observe(row: string): void {
  const seen: Seen["seen"] = {
    firstPaint: 0,
    largestPaint: 0,
    layoutShift: 0,
    firstRow: null,
    busyUntil: 0,
    long: [],
  };
  Object.assign(window, { seen });
  const watch = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch("paint", (entry) => {
    if (entry.name === "first-contentful-paint") seen.firstPaint = entry.startTime;
  });
  watch("largest-contentful-paint", (entry) => {
    seen.largestPaint = entry.startTime;
  });
  watch("longtask", ({ startTime, duration }) => {
    seen.long.push({ start: startTime, duration });
    seen.busyUntil = startTime + duration;
  });
  watch("layout-shift", (entry) => {
    const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!shift.hadRecentInput) seen.layoutShift += shift.value;
  });
  const look = () => {
    if (seen.firstRow === null && document.querySelector(row)) seen.firstRow = performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true });
}
