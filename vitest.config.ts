import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{lib,app,components,examples,scripts,prisma}/**/*.test.{ts,tsx}"],
    globalSetup: "lib/testing/global-setup.ts",
    // Real databases and real servers, on machines with two cores.
    // Most of their time they wait for each other, so that there is room for two files a core.
    maxWorkers: 4,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
  resolve: { alias: { "@": import.meta.dirname } },
});
