/**
 * `npm run gallery [-- --only <expression> --out <folder> --readme]`: takes pictures of every page and state,
 * with a page that shows them (`index.html`) and a list of their faults (`report.txt`). `--readme` takes the
 * pictures of the README and the docs instead. Exits 1 if a state did not come, or a page's script failed.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "@playwright/test";
import { type Intray, startIntray } from "../e2e/fixtures/intray.ts";
import { type QuestionServer, startQuestionServer } from "../e2e/fixtures/question-server.ts";
import { openPageAs, type Person } from "../e2e/fixtures/test.ts";
import { openTestRows } from "../e2e/fixtures/test-rows.ts";
import { createGalleryFixture } from "../e2e/gallery/fixture.ts";
import { indexPage, report } from "../e2e/gallery/report.ts";
import type { Shot } from "../e2e/gallery/shot.ts";
import { GROUPS, README_SHOTS } from "../e2e/gallery/shots.ts";
import { type Taken, take } from "../e2e/gallery/take.ts";
import { build } from "./build/build.ts";
import { findOrInstallChromium } from "./chromium.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    out: { type: "string" },
    readme: { type: "boolean", default: false },
    // Set by the gallery itself for each of its child processes.
    group: { type: "string" },
  },
});
const folder = values.out ?? (values.readme ? "docs/pictures" : "gallery");
const wanted = new RegExp(values.only, "i");
const groups = (values.readme ? [README_SHOTS] : GROUPS).map((shots) =>
  shots.filter(({ name }) => wanted.test(name)),
);

if (values.group === undefined) await takeGroups();
else await takeGroup(groups[Number(values.group)] ?? []);

/** Takes each group in a process of its own, and writes what they found. */
async function takeGroups(): Promise<void> {
  await build(say);
  const executablePath = findOrInstallChromium(say);
  if (!executablePath) process.exit(1);
  // Only a whole run empties the folder, since pictures of removed states would mislead.
  mkdirSync(folder, { recursive: true });
  if (!values.readme && !values.only) for (const file of readdirSync(folder)) rmSync(`${folder}/${file}`);

  const taking = groups.map(async (shots, index): Promise<Taken[]> => {
    if (shots.length === 0) return [];
    const child = fork(import.meta.filename, [...process.argv.slice(2), "--group", String(index)], {
      env: { ...process.env, GALLERY_CHROMIUM: executablePath },
    });
    let taken: Taken[] = [];
    child.on("message", (message: Taken[]) => {
      taken = message;
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`Group ${index} ended with exit code ${code}.`);
    return taken;
  });
  const all = (await Promise.all(taking)).flat();
  if (!values.readme) {
    writeFileSync(`${folder}/index.html`, indexPage(all));
    writeFileSync(`${folder}/report.txt`, report(all));
  }
  say(`\n${report(all)}\n${all.flatMap(({ pictures }) => pictures).length} pictures in ${folder}/`);
  process.exit(all.some(({ failure, errors }) => failure || errors.length > 0) ? 1 : 0);
}

/** Takes the pictures of a group, and sends what it found to the parent process. */
async function takeGroup(shots: Shot[]): Promise<void> {
  const office = await startQuestionServer();
  const intray = await startIntray({
    LOG_LEVEL: "error",
    INTRAY_ALLOW_HOSTS: office.hostAndPort,
    INVOICE_STEP_DELAY_MS: "200",
    INVOICE_RECONCILE_MS: "1000",
  });
  Object.assign(process.env, {
    E2E_URL: intray.url,
    E2E_DATA_DIR: intray.dataDir,
    E2E_INVOICE_URL: intray.invoiceUrl,
  });
  const browser = await chromium.launch({
    executablePath: process.env.GALLERY_CHROMIUM ?? "",
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-dev-shm-usage"],
  });
  try {
    const taken = await takeAll(browser, intray, office, shots);
    await new Promise((resolve) => process.send?.(taken, resolve));
  } finally {
    await browser.close();
    await office.close();
    await intray.stop();
  }
  process.exit();
}

async function takeAll(
  browser: Browser,
  intray: Intray,
  office: QuestionServer,
  shots: Shot[],
): Promise<Taken[]> {
  const people: Person[] = ["Ana", "Ola", "Ben", "Cleo", "Gus"];
  const pages = new Map<Person, Page>();
  for (const person of people) pages.set(person, await openPageAs(browser, person));
  const testRows = await openTestRows();
  try {
    const fixture = await createGalleryFixture(intray, office, testRows, pages);
    const all: Taken[] = [];
    for (const shot of shots) {
      const taken = await take(browser, fixture, shot, folder);
      const flaws = taken.pictures.flatMap((picture) => picture.flaws).length;
      const seconds = (taken.tookMs / 1_000).toFixed(1);
      say(`${taken.failure ? "✗" : "✓"} ${shot.name}, ${seconds} s${flaws ? ` (${flaws} flaws)` : ""}`);
      all.push(taken);
    }
    return all;
  } finally {
    await testRows.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
