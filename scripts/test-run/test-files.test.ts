/** The tests chosen for a change. */
import { expect, test } from "vitest";
import { choose as chooseBy } from "./test-files.ts";

const choose = (changed: string[], all: Map<string, string>) => chooseBy(changed, all, () => 2);

const sources = new Map([
  ["lib/base/ids.ts", ""],
  ["lib/tasks/queries.ts", 'import { uuidv7 } from "../base/ids.ts";'],
  ["lib/tasks/queries.test.ts", 'import { x } from "./queries.ts";'],
  ["lib/base/ids.test.ts", 'import { uuidv7 } from "./ids.ts";'],
  ["app/api/tasks/route.ts", 'export { x } from "@/lib/tasks/queries.ts";'],
  ["app/api/tasks.test.ts", 'await import("@/app/api/tasks/route.ts");'],
  ["scripts/cli.ts", 'await import("./commands/task.ts");'],
  ["scripts/commands/task.ts", 'import "../../lib/tasks/queries.ts";'],
  ["scripts/cli.test.ts", 'spawn(node, ["scripts/cli.ts"]);'],
  ["lib/format/text.test.ts", 'import { expect } from "vitest";'],
  ["scripts/migrate.ts", ""],
  ["prisma/migrations.test.ts", 'import { migrate } from "../scripts/migrate.ts";'],
  ["e2e/activity.spec.ts", ""],
  ["e2e/task-page.spec.ts", ""],
]);

test("a file's users are reached, the nearest first, also those that start it, and nobody else", () => {
  const { unit, left, needsBuild } = choose(["lib/base/ids.ts"], sources);
  expect(unit).toEqual([
    "lib/base/ids.test.ts",
    "lib/tasks/queries.test.ts",
    "app/api/tasks.test.ts",
    "scripts/cli.test.ts",
  ]);
  expect([left, needsBuild]).toEqual([[], true]);
});

test("a test that was changed is its own, and needs no build", () => {
  expect(choose(["lib/base/ids.test.ts"], sources)).toEqual({
    unit: ["lib/base/ids.test.ts"],
    left: [],
    e2e: [],
    needsBuild: false,
  });
});

test("a migration reaches whoever migrates", () => {
  expect(choose(["prisma/migrations/0002_functions_and_policies/migration.sql"], sources).unit).toEqual([
    "prisma/migrations.test.ts",
  ]);
});

test("what a route uses reaches whoever calls routes by their paths", () => {
  const more = new Map([
    ...sources,
    ["lib/mail/links.ts", ""],
    ["app/api/links/route.ts", 'export { x } from "@/lib/mail/links.ts";'],
    ["test/web.ts", ""],
    ["app/api/links.test.ts", 'import { startWeb } from "@/test/web.ts";'],
  ]);
  expect(choose(["lib/mail/links.ts"], more).unit).toEqual(["app/api/links.test.ts"]);
});

test("what every test depends on reaches all", () => {
  const tests = [...sources.keys()].filter((file) => file.endsWith(".test.ts"));
  expect(choose(["package-lock.json"], sources).unit.toSorted()).toEqual(tests.toSorted());
});

test("browser tests go with the pages that they are about, and with themselves", () => {
  expect(choose(["app/(app)/tasks/[id]/page.tsx", "e2e/activity.spec.ts"], sources)).toMatchObject({
    e2e: ["e2e/activity.spec.ts", "e2e/task-page.spec.ts"],
    needsBuild: true,
  });
  expect(choose(["e2e/activity.spec.ts"], sources)).toMatchObject({ needsBuild: false });
});

test("what there is no time for is left out, the farthest first", () => {
  const many = Array.from({ length: 200 }, (_, n) => `lib/many/${n}.test.ts`);
  const all = new Map([...sources, ...many.map((file) => [file, 'import "../tasks/queries.ts";'] as const)]);
  const { unit, left } = choose(["lib/base/ids.ts"], all);
  expect(unit[0]).toBe("lib/base/ids.test.ts");
  expect(unit.length + left.length).toBe(204);
  expect(left).toContain("app/api/tasks.test.ts");
});

test("tests that repeat or take long are left to `npm test -- full`, unless they were changed themselves", () => {
  const more = new Map([...sources, ["lib/base/ids.full.test.ts", 'import { uuidv7 } from "./ids.ts";']]);
  expect(choose(["lib/base/ids.ts"], more).unit).not.toContain("lib/base/ids.full.test.ts");
  expect(choose(["lib/base/ids.full.test.ts"], more).unit).toEqual(["lib/base/ids.full.test.ts"]);
});
