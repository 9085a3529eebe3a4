import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.ts";

export default defineConfig({
  test: {
    include: ["{lib,app,components,examples,scripts,prisma,test}/**/*.test.{ts,tsx}"],
    globalSetup: "test/setup/global-setup.ts",
    // Real databases and real servers, on machines with two cores.
    // Most of their time they wait for each other, so that there is room for three files a core.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // What takes a second here takes twenty on a machine that has other things to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
  },
  resolve: {
    alias: [
      { find: "@", replacement: import.meta.dirname },
      // A hash that takes a quarter of a second is right for people, and half of what the tests of accounts took.
      { find: /^\.\/password-cost\.ts$/, replacement: `${import.meta.dirname}/test/setup/password-cost.ts` },
    ],
  },
});
