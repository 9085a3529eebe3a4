import { defineConfig } from "vitest/config";
import { writeApiPaths } from "./scripts/build/api-paths.mjs";
import { ownFiles } from "./test/setup/own-files.ts";
import { pureFiles } from "./test/setup/pure-files.ts";

// `npx vitest` starts without bootstrap.mjs, and a route may have come or gone.
writeApiPaths();

const TESTS = "{lib,app,components,examples,scripts,prisma,test}/**/*.test.{ts,tsx}";
/** Files of tests that repeat or take long, which `npm test -- full` runs. Single ones have the tag `full`. */
const FULL = "**/*.full.test.{ts,tsx}";
// Next's folders have brackets in their names, which a pattern would read as its own.
const escaped = (file: string) => file.replace(/[()[\]]/g, "\\$&");
const pure = pureFiles(import.meta.dirname, [TESTS]).map(escaped);
const own = ownFiles(import.meta.dirname, [TESTS]).map(escaped);

/** Files with real databases and real servers. They often wait, so there is room for four a core. */
const served = {
  globalSetup: "test/setup/global-setup.ts",
  maxWorkers: 8,
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    tags: [{ name: "full", description: "Repeats or takes long: `npm test -- full` runs it." }],
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: pure,
          exclude: [FULL],
          isolate: false,
          pool: "threads",
          // They never wait; the others begin after them.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...served,
          name: "own",
          include: own,
          exclude: [...pure, FULL],
        },
      },
      {
        extends: true,
        test: {
          ...served,
          name: "shared",
          include: [TESTS],
          exclude: [...pure, ...own, FULL],
          isolate: false,
          setupFiles: "test/setup/each-file.ts",
          env: { LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent" },
        },
      },
      { extends: true, test: { ...served, name: "full", include: [FULL], exclude: ["node_modules"] } },
    ],
    // Limits for what never comes: they cost a passing test nothing. What takes a second here takes twenty on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 180_000, interval: 50 } },
  },
  resolve: {
    alias: [
      { find: "@", replacement: import.meta.dirname },
      // A hash that takes a quarter of a second is right for people, and half of what the tests of accounts took.
      { find: /^\.\/password-cost\.ts$/, replacement: `${import.meta.dirname}/test/setup/password-cost.ts` },
      {
        find: /^\.\/transaction-ms\.ts$/,
        replacement: `${import.meta.dirname}/test/setup/transaction-ms.ts`,
      },
    ],
  },
});
