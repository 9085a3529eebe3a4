import { defineConfig, devices } from "@playwright/test";
import { findChromium } from "./scripts/chromium.ts";

const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/global-setup.ts",
  // One Intray serves them all, and the journeys build on its data.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: process.env.E2E_REPORT ? [["list"], ["json", { outputFile: process.env.E2E_REPORT }]] : "list",
  use: {
    // Set by the global setup, which runs before any test file is loaded.
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
