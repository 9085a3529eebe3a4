import { expect, test } from "vitest";
import { stateMachine } from "./state-machine.ts";

const door = stateMachine<"open" | "shut" | "gone">({
  open: ["shut", "gone"],
  shut: ["open", "gone"],
  gone: [],
});

test("a state is reached from those that lead to it, all or some of them", () => {
  expect(door.before("gone")).toEqual(["open", "shut"]);
  expect(door.before("gone", "shut")).toEqual(["shut"]);
  expect([door.before("shut").includes("open"), door.before("open").includes("gone")]).toEqual([true, false]);
});

test("a writer that names a state from which nothing leads there is wrong", () => {
  expect(() => door.before("open", "gone")).toThrow("nothing may go from gone to open");
});
