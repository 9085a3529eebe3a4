import { defineConfig, devices } from "@playwright/test";
import { findChromium } from "./scripts/chromium.ts";

// Read by every worker before its tests: each has an Intray of its own, made by the global setup.
const { E2E_PLACES: places, TEST_PARALLEL_INDEX: worker } = process.env;
if (places && worker) Object.assign(process.env, JSON.parse(places)[Number(worker)]);

const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/global-setup.ts",
  // A file's tests share one Intray, and some build on its data.
  workers: process.env.E2E_URL ? 1 : 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: process.env.E2E_REPORT ? [["list"], ["json", { outputFile: process.env.E2E_REPORT }]] : "list",
  use: {
    baseURL: process.env.E2E_URL,
    screenshot: "only-on-failure",
    // Recording costs a sixth of the time.
    trace: process.env.CI ? "retain-on-failure" : "off",
    launchOptions: {
      executablePath: findChromium(),
      // As root the sandbox cannot be made.
      chromiumSandbox: !isRoot,
      args: ["--disable-dev-shm-usage"],
    },
  },
  projects: [{ name: "chromium", use: { ...devices["Desktop Chrome"] } }],
});
