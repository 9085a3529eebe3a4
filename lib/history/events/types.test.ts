import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EVENT_GROUPS } from "../../web/words/event-groups.ts";
import { EVENT_TYPES } from "./event-schema.ts";

const written = globSync("{lib,app,scripts,prisma}/**/*.{ts,sql}", {
  exclude: (path) => path.includes("generated") || path.endsWith(".test.ts"),
})
  .filter((path) => path !== "lib/history/events/event-schema.ts" && !path.startsWith("lib/web/words/"))
  .map((path) => readFileSync(path, "utf8"));

test("every kind of line that functions of the database write has its words", () => {
  // What TypeScript writes, the type EventType checks.
  const types = written.flatMap((text) =>
    [...text.matchAll(/append_event\('([a-z_.]+)'/g)].map(([, type]) => type),
  );
  expect(types.filter((type) => !EVENT_TYPES.includes(type as never))).toEqual([]);
});

test("no kind of line is listed twice", () => {
  expect(new Set(EVENT_TYPES).size).toBe(EVENT_TYPES.length);
});

test("every kind of line can be asked for on the screen", () => {
  const nouns = EVENT_GROUPS.flatMap((group) => group.nouns);
  expect(EVENT_TYPES.filter((type) => !nouns.includes(type.split(".")[0] ?? ""))).toEqual([]);
  expect(new Set(nouns).size).toBe(nouns.length);
});
