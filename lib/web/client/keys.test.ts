/** Two queries with one key hand each other's data to screens that read another shape. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Of `queryOptions()`, `reading()` and `readingPages()`. */
const KEY = /(?:queryKey: |reading(?:Pages)?<[^;]+?>\(\s*)(\[[^\]]+\]|[\w.]+(?:\([^()]*\))?)/g;

test("no two queries share a key", () => {
  const keys = globSync("lib/web/client/{,settings/,tasks/}*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(KEY)].map(([, key]) => key),
  );
  expect(keys.length).toBeGreaterThan(40);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
