import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{lib,app,components,examples,scripts,prisma}/**/*.test.{ts,tsx}"],
    globalSetup: "lib/testing/global-setup.ts",
    // Real databases and real servers, on machines with two cores.
    // Most of their time they wait for each other, so that there is room for two files a core.
    maxWorkers: 4,
    // What fails says so by itself; these are for what hangs, on machines that are slow and busy.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
  },
  resolve: { alias: { "@": import.meta.dirname } },
});
