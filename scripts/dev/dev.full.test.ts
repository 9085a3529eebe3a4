/** `npm run dev` in a copy of this folder: a change of each part is seen, and nothing outlives it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findChromium } from "../chromium.ts";
import { note } from "../front-door/installation.mjs";
import { isAlive, pidOf } from "../lock.mjs";
import { freePort } from "../ports.ts";

/** Longer than a busy machine needs to compile a page, or to check all types. */
const PATIENCE = { timeout: 600_000 };

/** What npm and our own installation keep beside the packages. */
const NEEDED = [".bin", ".intray-installed", ".package-lock.json"];

const folder = mkdtempSync(join(tmpdir(), "intray-dev-"));
const port = await freePort();
const url = `http://localhost:${port}`;
/** All processes seen below `npm run dev`, by id and time of start. */
const seen = new Set<string>();
let dev: ChildProcess;
let output = "";
let browser: Browser;

beforeAll(async () => {
  copySources();
  copyPackages();
  browser = await chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-dev-shm-usage"],
  });
  await start();
}, PATIENCE.timeout);

afterAll(async () => {
  await browser?.close();
  for (const identity of left()) process.kill(pidOf(identity), "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("a changed label is on the open page, which is not loaded again", PATIENCE, async () => {
  const page = await browser.newPage({ baseURL: url });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto("/sign-in", PATIENCE);
  await page.getByText("Explore the demo as").waitFor(PATIENCE);
  await page.evaluate(() => Object.assign(window, { isFirst: true }));
  // Next misses a change until it has noted what a new page was given, and tells nobody when it has.
  let label = "Explore the demo as";
  let changes = 0;
  const changed = async () => {
    const next = `Try ${++changes} demo as`;
    change("app/sign-in/demo-people.tsx", label, next);
    label = next;
    return page.getByText(/^Try \d+ demo as$/).count();
  };
  await expect.poll(changed, { ...PATIENCE, interval: 2_000 }).toBe(1);
  expect(await page.evaluate(() => "isFirst" in window)).toBe(true);
  expect(errors).toEqual([]);
});

test("a changed route answers anew, also after it was broken", PATIENCE, async () => {
  const answer = async () => (await fetch(`${url}/healthz`)).text();
  expect(await answer()).toBe('{"status":"ok"}');
  change("app/healthz/route.ts", '"ok"', '"well"');
  await expect.poll(answer, PATIENCE).toBe('{"status":"well"}');
  change("app/healthz/route.ts", '"well"', '"well');
  await expect.poll(async () => (await fetch(`${url}/healthz`)).status, PATIENCE).toBe(500);
  change("app/healthz/route.ts", '"well', '"well"');
  await expect.poll(answer, PATIENCE).toBe('{"status":"well"}');
});

test("what answers agents is loaded again with what it imports", PATIENCE, async () => {
  const answer = async () => (await fetch(`${url}/mcp`, { method: "POST", body: "{}" })).text();
  expect(await answer()).toContain("Send an agent’s secret");
  change("lib/web/auth/agent.ts", "Send an agent’s secret", "Send the secret of an agent");
  await expect.poll(answer, PATIENCE).toContain("Send the secret of an agent");
});

test("the engine is started again when a file that it imports has changed", PATIENCE, async () => {
  change("lib/engine/main.ts", "the engine runs", "the changed engine runs");
  await says("the changed engine runs");
});

test("a wrong type is said", PATIENCE, async () => {
  await says("Watching for file changes.");
  writeFileSync(join(folder, "lib/text/wrong.ts"), 'export const wrong: number = "a text";\n');
  await says("lib/text/wrong.ts(1,14): error TS2322");
});

test("a start after kill -9 finds nothing in its way, and Ctrl-C ends all", PATIENCE, async () => {
  note(dev.pid, seen);
  process.kill(pidOf(readFileSync(join(folder, ".data-dev/supervisor.pid"), "utf8")), "SIGKILL");
  // Postgres stays, and the next start takes it over.
  await expect.poll(() => left().filter((one) => !isPostgres(one)), PATIENCE).toEqual([]);
  await start();
  note(dev.pid, seen);
  // A terminal sends its signal to the whole group.
  process.kill(-Number(dev.pid), "SIGINT");
  await expect.poll(left, PATIENCE).toEqual([]);
});

async function start(): Promise<void> {
  output = "";
  dev = spawn("npm", ["run", "dev"], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), INTRAY_DEMO_TASKS: "0", INTRAY_DATA_DIR: "", LOG_LEVEL: "" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (text) => (output += text));
  await says("Intray is ready after");
}

/** Waits until `npm run dev` has said so. */
async function says(text: string): Promise<void> {
  await vi.waitUntil(
    () => {
      note(dev.pid, seen);
      if (dev.exitCode !== null) throw new Error(`npm run dev has ended:\n${output}`);
      return output.includes(text);
    },
    { ...PATIENCE, interval: 200 },
  );
}

const left = () => [...seen].filter(isAlive);

function isPostgres(identity: string): boolean {
  return readFileSync(`/proc/${pidOf(identity)}/cmdline`, "utf8").includes("postgres");
}

function change(path: string, from: string, to: string): void {
  const file = join(folder, path);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replaceAll(from, to));
}

/** As they are here, also what is not committed yet. */
function copySources(): void {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 10_000_000,
  });
  for (const file of files.split("\0")) if (file !== "" && existsSync(file)) cpSync(file, join(folder, file));
  cpSync("lib/generated", join(folder, "lib/generated"), { recursive: true });
}

/**
 * By links where that is possible: a link of the whole folder is one that the bundler does not follow. Packages of tests,
 * which have a dot before their names, stay behind: another test may write to them.
 */
function copyPackages(): void {
  const links = statSync(folder).dev === statSync("node_modules").dev ? ["-l"] : [];
  const names = readdirSync("node_modules").filter((name) => !name.startsWith(".") || NEEDED.includes(name));
  mkdirSync(join(folder, "node_modules"));
  execFileSync("cp", [
    "-a",
    ...links,
    ...names.map((name) => `node_modules/${name}`),
    join(folder, "node_modules"),
  ]);
}
