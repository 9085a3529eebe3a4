import { globSync, readFileSync } from "node:fs";

const TAGGED = /\btags:\s*\[?[^\]]*"full"/;

/** Returns the test files with tests that have the tag `full`, by their text. Files named `*.full.test.ts` are not among them. */
export function filesWithLongTests(): string[] {
  return globSync("{lib,app,components,examples,scripts,prisma,test}/**/*.test.{ts,tsx}", {
    exclude: ["**/*.full.test.*"],
  })
    .filter((file) => TAGGED.test(readFileSync(file, "utf8")))
    .sort();
}
