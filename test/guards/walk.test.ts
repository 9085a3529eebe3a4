import { expect, test } from "vitest";
import type { Picture } from "./digest.ts";
import { type UnchangingWalk, walk, walkUnchanged } from "./walk.ts";

const STEPS = ["GET /one", "POST /two", "DELETE /three"].map((name) => ({ name }));
type Step = (typeof STEPS)[number];

/** Returns a walk over tables in memory. */
function walkOver(
  tables: Picture,
  take: (step: Step, own: { isThere: boolean }) => void,
): UnchangingWalk<Step, { isThere: boolean }> {
  const shared = { isThere: true };
  return {
    prepare: async (_step, isAlone) => (isAlone ? { isThere: true } : shared),
    take: async (step, own) => take(step, own),
    look: async () => ({ ...tables }),
  };
}

test("a walk names every step that fails, and goes on after each", async () => {
  const taken: string[] = [];
  const failing = walk(STEPS, async ({ name }) => {
    taken.push(name);
    if (name !== "POST /two") expect([name, 200]).toEqual([name, 403]);
  });
  await expect(failing).rejects.toThrow(/GET \/one: expected .*200.*\n[\s\S]*DELETE \/three: expected .*200/);
  await expect(failing).rejects.not.toThrow(/POST \/two: /);
  expect(taken).toEqual(STEPS.map(({ name }) => name));
});

test("a walk without a step fails", async () => {
  await expect(walk([], async () => {})).rejects.toThrow("shows nothing");
  await expect(
    walkUnchanged(
      [],
      walkOver({}, () => {}),
    ),
  ).rejects.toThrow("shows nothing");
});

test("a walk that changes nothing looks twice, and takes each step once", async () => {
  let looks = 0;
  const taken: string[] = [];
  const still = walkOver({ task: "1" }, ({ name }) => void taken.push(name));
  await walkUnchanged(STEPS, {
    ...still,
    look: () => {
      looks++;
      return still.look();
    },
  });
  expect([looks, taken]).toEqual([2, STEPS.map(({ name }) => name)]);
});

test("a walk names the step that wrote, and its table", async () => {
  const tables = { task: "1", server: "1" };
  const writing = walkUnchanged(
    STEPS,
    walkOver(tables, ({ name }) => {
      if (name === "POST /two") tables.task += "1";
    }),
  );
  await expect(writing).rejects.toThrow(/^changed by all together: task[^\n]*\nPOST \/two: changed task$/);
});

test("a step that wrote is named although it used up the thing that it was given", async () => {
  const tables = { task: "1" };
  const deleting = walkOver(tables, ({ name }, thing) => {
    if (name !== "DELETE /three" || !thing.isThere) return;
    thing.isThere = false;
    tables.task += "1";
  });
  await expect(walkUnchanged(STEPS, deleting)).rejects.toThrow("\nDELETE /three: changed task");
});

test("a reply that fails and a write are told together", async () => {
  const tables = { task: "1" };
  const both = walkOver(tables, ({ name }) => {
    tables.task += "1";
    if (name === "GET /one") throw new Error("200");
  });
  await expect(walkUnchanged(STEPS.slice(0, 2), both)).rejects.toThrow(
    /^GET \/one: 200\nchanged by all together: task[^\n]*\nGET \/one: changed task\nPOST \/two: changed task$/,
  );
});

test("a write that no step repeats alone fails the walk too", async () => {
  const tables = { task: "1" };
  let isFirst = true;
  const once = walkOver(tables, () => {
    if (isFirst) tables.task = "2";
    isFirst = false;
  });
  await expect(walkUnchanged(STEPS, once)).rejects.toThrow("none of them changed anything");
});
