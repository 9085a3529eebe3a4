import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { domainOf, NameTurns } from "./name-turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Turns of 8 places, and the lookups that were begun, in their order. */
function turnsOfEight() {
  const turns = new NameTurns(8);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (...names: string[]) => {
    for (const name of names)
      turns.add(name, (done) => {
        begun.push(name);
        ends.set(name, done);
      });
  };
  const end = (name: string) => ends.get(name)?.();
  /** Has a name answered after this time. */
  const know = (name: string, ms: number) => {
    ask(name);
    vi.advanceTimersByTime(ms);
    end(name);
    begun.splice(0);
  };
  return { begun, ask, end, know };
}

/** As many domains, each of which somebody has bought. */
const domains = (called: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${called}${n}.example`);
/** As many names below one domain. */
const below = (domain: string, count: number) => Array.from({ length: count }, (_, n) => `${n}.${domain}`);

test("domains that never answer leave places for those that did, and for no others", () => {
  const { begun, ask, know } = turnsOfEight();
  for (const name of domains("known", 4)) know(name, 50);
  ask(...domains("silent", 500));
  expect(begun).toHaveLength(6);
  ask(...domains("known", 4));
  expect(begun.slice(6)).toEqual(["known0.example", "known1.example"]);
});

test("a known domain comes before all that wait", () => {
  const { begun, ask, end, know } = turnsOfEight();
  for (const name of domains("known", 9)) know(name, 50);
  ask(...domains("silent", 20), ...domains("known", 9));
  end("silent0.example");
  expect(begun.at(-1)).toBe("known2.example");
});

test("a domain that was slow waits behind new ones, also after it answered at once, until that is forgotten", () => {
  const { begun, ask, end, know } = turnsOfEight();
  for (const name of domains("slow", 4)) know(name, 9_000);
  ask(...domains("slow", 4));
  expect(begun).toEqual(["slow0.example", "slow1.example"]);
  for (const name of domains("slow", 4)) end(name);
  begun.splice(0);
  ask(...domains("slow", 4), "new.example");
  expect(begun).toEqual(["slow0.example", "slow1.example", "new.example"]);
  for (const name of domains("slow", 4)) end(name);
  vi.advanceTimersByTime(601_000);
  begun.splice(0);
  ask(...domains("slow", 4));
  expect(begun).toHaveLength(4);
});

test("ever new names below a silent domain hold one place, and another domain's first name finds one", () => {
  const { begun, ask } = turnsOfEight();
  ask(...below("silent.example", 500), "a.other.example");
  expect(begun).toEqual(["0.silent.example", "a.other.example"]);
});

test("a domain that answered at once and then holds its lookups leaves places to others, and is slow while it holds them", () => {
  const { begun, ask, end, know } = turnsOfEight();
  for (const name of below("stranger.example", 20)) know(name, 50);
  know("a.known.example", 50);
  ask(...below("stranger.example", 20), ...domains("silent", 5), "a.known.example");
  expect(begun.filter((name) => name.endsWith("stranger.example"))).toEqual(["0.stranger.example"]);
  expect(begun).toContain("a.known.example");
  vi.advanceTimersByTime(9_000);
  ask("late.example");
  end("0.stranger.example");
  end("silent0.example");
  // The next of the stranger's comes after a domain that nobody has asked for yet.
  expect(begun.slice(-2)).toEqual(["late.example", "1.stranger.example"]);
});

test("domains take turns, each with its names in their order", () => {
  const { begun, ask, end, know } = turnsOfEight();
  for (const domain of ["a", "b", "c", "d"]) know(`known.${domain}.example`, 50);
  ask(...domains("silent", 6), "x.c.example", "x.d.example");
  ask(...below("a.example", 3), ...below("b.example", 2));
  begun.splice(0);
  for (const name of ["x.c.example", "x.d.example", "0.a.example", "0.b.example", "1.a.example"]) end(name);
  expect(begun).toEqual(["0.a.example", "0.b.example", "1.a.example", "1.b.example", "2.a.example"]);
});

test("two threads: one is left to domains that answered", () => {
  const begun: string[] = [];
  const turns = new NameTurns(2);
  turns.add("known.example", (done) => done());
  for (const name of ["a.example", "b.example", "known.example"])
    turns.add(name, () => void begun.push(name));
  expect(begun).toEqual(["a.example", "known.example"]);
});

test.each([
  ["hooks.acme.example", "acme.example"],
  ["a.b.ACME.example.", "acme.example"],
  ["hooks.acme.co.uk", "acme.co.uk"],
  ["co.uk", "co.uk"],
  ["a.com.acme.example", "acme.example"],
  ["a.b.abc.io", "abc.io"],
  ["server", "server"],
])("%s is below %s", (name, domain) => {
  expect(domainOf(name)).toBe(domain);
});
