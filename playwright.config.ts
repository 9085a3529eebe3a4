import { defineConfig, devices } from "@playwright/test";
import { findChromium } from "./scripts/chromium.ts";

const isRoot = process.getuid?.() === 0;

/**
 * A journey for each main capability, tagged in the specs, is what `npm test` runs; `npm test -- full` runs the others, and journeys on
 * which others of their file build.
 */
const PARTS = new Map([
  ["journeys", { name: "journeys", grep: /@journey/ }],
  ["others", { name: "others", grepInvert: /@journey(?! @first)/ }],
]);
const part = PARTS.get(process.env.E2E_TESTS ?? "") ?? { name: "all" };

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/fixtures/global-setup.ts",
  // The files of a worker share one Intray, and a file's tests may build on its data. They wait for servers, too:
  // it takes four to keep two cores busy, or three beside the chaos of `npm test`.
  workers: process.env.E2E_URL ? 1 : part.name === "journeys" ? 3 : 4,
  fullyParallel: false,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Limits for what never comes. They cost a passing test nothing, so a machine that is twenty times slower passes too.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: process.env.E2E_REPORT ? [["list"], ["json", { outputFile: process.env.E2E_REPORT }]] : "list",
  use: {
    screenshot: "only-on-failure",
    // Recording costs a sixth of the time: E2E_TRACE=1 does, to look into a failure.
    trace: process.env.E2E_TRACE ? "retain-on-failure" : "off",
    // What moves is waited for at each click.
    contextOptions: { reducedMotion: "reduce" },
    // Requests that a worker answers are not seen by `page.route()`. e2e/push.spec.ts has it.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: findChromium(),
      // As root the sandbox cannot be made.
      chromiumSandbox: !isRoot,
      args: ["--disable-dev-shm-usage"],
    },
  },
  projects: [{ ...part, use: { ...devices["Desktop Chrome"] } }],
});
