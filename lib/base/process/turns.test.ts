import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

function takeAll(turns: Turns<string>): string {
  const taken: string[] = [];
  for (let item = turns.take(); item !== undefined; item = turns.take()) taken.push(item);
  return taken.join(" ");
}

test("owners take turns, and each one's own stay in their order", () => {
  const turns = new Turns<string>(10);
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns.add(item[0]!, item);
  expect(turns.size).toBe(6);
  expect(takeAll(turns)).toBe("a1 b1 c1 a2 b2 a3");
  expect(turns.size).toBe(0);
  expect(turns.take()).toBeUndefined();
});

test("in a full line the owner with the most loses the last one, to who would have fewer", () => {
  const turns = new Turns<string>(4);
  for (const item of ["a1", "a2", "a3", "b1"]) expect(turns.add(item[0]!, item)).toBeNull();
  expect(turns.add("a", "a4")).toBe("a4");
  expect(turns.add("c", "c1")).toBe("a3");
  expect(turns.add("b", "b2")).toBe("b2");
  expect(turns.add("d", "d1")).toBe("a2");
  expect(turns.add("e", "e1")).toBe("e1");
  expect(turns.size).toBe(4);
  expect(takeAll(turns)).toBe("a1 b1 c1 d1");
});

test("the last item of the owner with the most is dropped", () => {
  const turns = new Turns<string>(4);
  for (const item of ["a1", "b1", "b2"]) turns.add(item[0]!, item);
  expect([turns.drop(), turns.drop(), turns.drop(), turns.drop()]).toEqual(["b2", "a1", "b1", undefined]);
  expect(turns.size).toBe(0);
});

test("who leaves gives up the place", () => {
  const turns = new Turns<string>(2);
  turns.add("a", "a1");
  turns.add("b", "b1");
  turns.remove("a", "a1");
  turns.remove("a", "a1");
  turns.remove("c", "b1");
  expect(turns.size).toBe(1);
  expect(turns.add("a", "a2")).toBeNull();
  expect(takeAll(turns)).toBe("b1 a2");
});
