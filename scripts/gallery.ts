/**
 * `npm run gallery [-- --only <expression> --out <folder> --readme]`: takes pictures of every page and state,
 * with a page that shows them (`index.html`) and a list of their faults (`report.txt`). `--readme` takes the
 * pictures of the README instead. Exits 1 if a state did not come, or a page's script failed.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "@playwright/test";
import { startIntray } from "../e2e/fixtures/intray.ts";
import { startQuestionServer } from "../e2e/fixtures/question-server.ts";
import { openPageAs, type Person } from "../e2e/fixtures/test.ts";
import { openTestRows } from "../e2e/fixtures/test-rows.ts";
import { createGalleryFixture } from "../e2e/gallery/fixture.ts";
import { indexPage, report } from "../e2e/gallery/report.ts";
import { README_SHOTS, SHOTS } from "../e2e/gallery/shots.ts";
import { type Taken, take } from "../e2e/gallery/take.ts";
import { build } from "./build/build.ts";
import { findOrInstallChromium } from "./chromium.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    out: { type: "string" },
    readme: { type: "boolean", default: false },
  },
});
const folder = values.out ?? (values.readme ? "docs/pictures" : "gallery");
const wanted = new RegExp(values.only, "i");
const shots = (values.readme ? README_SHOTS : SHOTS).filter(({ name }) => wanted.test(name));

await build(say);
const executablePath = findOrInstallChromium(say);
if (!executablePath) process.exit(1);
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
  executablePath,
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--disable-dev-shm-usage"],
});
let all: Taken[] = [];
try {
  all = await takeAll(browser);
} finally {
  await browser.close();
  await office.close();
  await intray.stop();
}
if (!values.readme) {
  writeFileSync(`${folder}/index.html`, indexPage(all));
  writeFileSync(`${folder}/report.txt`, report(all));
}
say(`\n${report(all)}\n${all.flatMap(({ pictures }) => pictures).length} pictures in ${folder}/`);
process.exit(all.some(({ failure, errors }) => failure || errors.length > 0) ? 1 : 0);

async function takeAll(browser: Browser): Promise<Taken[]> {
  const people: Person[] = ["Ana", "Ola", "Ben", "Cleo", "Gus"];
  const pages = new Map<Person, Page>();
  for (const person of people) pages.set(person, await openPageAs(browser, person));
  const testRows = await openTestRows();
  try {
    const fixture = await createGalleryFixture(intray, office, testRows, pages);
    // Only a whole run empties the folder, since pictures of removed states would mislead.
    mkdirSync(folder, { recursive: true });
    if (!values.readme && !values.only) for (const file of readdirSync(folder)) rmSync(`${folder}/${file}`);
    const taken: Taken[] = [];
    for (const shot of shots) {
      const result = await take(browser, fixture, shot, folder);
      const flaws = result.pictures.flatMap((picture) => picture.flaws).length;
      say(`${result.failure ? "✗" : "✓"} ${shot.name}${flaws ? ` (${flaws} flaws)` : ""}`);
      taken.push(result);
    }
    return taken;
  } finally {
    await testRows.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
