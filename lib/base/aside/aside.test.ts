import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inScope } from "../process/scope.ts";
import { aside } from "./aside.ts";

const folder = mkdtempSync(join(tmpdir(), "intray-aside-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const MODULE = join(folder, "costly.mjs");
writeFileSync(
  MODULE,
  `export const add = async (a, b) => a + b;
  export function fail() {
    throw new Error("on purpose");
  }
  export function work(kind) {
    const kept = [];
    while (kind === "spin") {}
    while (kind === "fill") kept.push({ kept });
    return kind;
  }`,
);
const one = "organization one";

test("a call has the function's value, or its error", async () => {
  const add = aside<(a: number, b: number) => Promise<number>>(MODULE, "add", 5_000);
  expect(await add(one, 1, 2)).toEqual({ done: true, value: 3 });
  await expect(aside<() => void>(MODULE, "fail", 5_000)(one)).rejects.toThrow("on purpose");
  await expect(aside<() => void>(join(folder, "missing.mjs"), "none", 5_000)(one)).rejects.toThrow(
    "missing.mjs",
  );
});

test.each(["spin", "fill"])(
  "a call that does nothing but %s ends, and the next one is made",
  async (kind) => {
    const work = aside<(kind: string) => string>(MODULE, "work", 500);
    const [costly, next] = [work(one, kind), work(one, "nothing")];
    expect(await costly).toEqual({ done: false, why: "late" });
    expect(await next).toEqual({ done: true, value: "nothing" });
  },
);

test("organizations take turns, and one that has too many waiting is told so", async () => {
  const work = aside<(kind: string) => string>(MODULE, "work", 5_001);
  const order: string[] = [];
  const call = (organization: string) =>
    work(organization, "nothing").then(({ done }) =>
      order.push(done ? organization : `${organization} refused`),
    );
  await Promise.all([...Array.from({ length: 12 }, () => call("one")), call("other")]);
  expect(order.filter((each) => each === "one refused")).toHaveLength(1);
  const taken = order.filter((each) => !each.endsWith("refused"));
  expect(taken).toHaveLength(12);
  expect(taken.indexOf("other")).toBeLessThan(3);
});

test("organizations that fill all places lose one each to others that have none", async () => {
  const work = aside<(kind: string) => string>(MODULE, "work", 5_003);
  const done: string[] = [];
  const call = (organization: string) =>
    work(organization, "nothing").then((outcome) => outcome.done && done.push(organization));
  const many = Array.from({ length: 10 }, (_, at) => `many ${at}`);
  const others = Array.from({ length: 9 }, (_, at) => `other ${at}`);
  const calls = many.flatMap((organization) => Array.from({ length: 12 }, () => call(organization)));
  await Promise.all([...calls, ...others.map(call)]);
  const of = (organization: string) => done.filter((each) => each === organization).length;
  expect(others.map(of)).toEqual(others.map(() => 1));
  // The very first call was under way already.
  expect(many.map(of)).toEqual([10, 9, 9, 9, 9, 9, 9, 9, 9, 10]);
});

test("a stranger's network that fills an organization's places loses one to a person of another", async () => {
  const work = aside<(kind: string) => string>(MODULE, "work", 5_002);
  const order: string[] = [];
  const call = (network: string) =>
    inScope({ requestId: null, trace: null, caller: { network, left: new AbortController().signal } }, () =>
      work(one, "nothing").then(({ done }) => order.push(done ? network : `${network} refused`)),
    );
  await Promise.all([...Array.from({ length: 20 }, () => call("stranger")), call("person")]);
  expect(order.filter((each) => each === "stranger refused")).toHaveLength(10);
  const taken = order.filter((each) => !each.endsWith("refused"));
  expect(taken).toHaveLength(11);
  expect(taken.indexOf("person")).toBeLessThan(3);
});
