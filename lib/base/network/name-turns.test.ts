import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NameTurns } from "./name-turns.ts";

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
const names = (of: string, count: number) => Array.from({ length: count }, (_, n) => `${n}.${of}`);

test("names that never answer leave places for those that did, and for no others", () => {
  const { begun, ask, know } = turnsOfEight();
  for (const name of names("known.example", 4)) know(name, 50);
  ask(...names("silent.example", 500));
  expect(begun).toHaveLength(6);
  ask(...names("known.example", 4));
  expect(begun.slice(6)).toEqual(["0.known.example", "1.known.example"]);
});

test("a known name comes before all that wait", () => {
  const { begun, ask, end, know } = turnsOfEight();
  for (const name of names("known.example", 9)) know(name, 50);
  ask(...names("silent.example", 20), ...names("known.example", 9));
  end("0.silent.example");
  expect(begun.at(-1)).toBe("2.known.example");
});

test("a name that was slow waits behind new ones, also after it answered at once, until that is forgotten", () => {
  const { begun, ask, end, know } = turnsOfEight();
  for (const name of names("slow.example", 4)) know(name, 9_000);
  ask(...names("slow.example", 4));
  expect(begun).toEqual(["0.slow.example", "1.slow.example"]);
  end("0.slow.example");
  end("1.slow.example");
  end("2.slow.example");
  end("3.slow.example");
  begun.splice(0);
  ask(...names("slow.example", 4), "new.example");
  expect(begun).toEqual(["0.slow.example", "1.slow.example", "new.example"]);
  for (const name of names("slow.example", 4)) end(name);
  vi.advanceTimersByTime(601_000);
  begun.splice(0);
  ask(...names("slow.example", 4));
  expect(begun).toHaveLength(4);
});

test("two threads: one is left to names that answered", () => {
  const begun: string[] = [];
  const turns = new NameTurns(2);
  turns.add("known.example", (done) => done());
  for (const name of ["a.example", "b.example", "known.example"])
    turns.add(name, () => void begun.push(name));
  expect(begun).toEqual(["a.example", "known.example"]);
});
