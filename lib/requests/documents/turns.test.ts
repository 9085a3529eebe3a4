import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inTurn } from "./turns.ts";

/** A connection of its own, whose reads last until the test ends them. */
function connection(atOnce: number) {
  const connectionId = crypto.randomUUID();
  const begun: { uri: string; end: (text: string) => void; signal: AbortSignal }[] = [];
  const ask = (caller: string, uri: string, signal = new AbortController().signal) =>
    inTurn({ connectionId, uri, caller, atOnce, signal }, (given) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      begun.push({ uri, end: resolve, signal: given });
      return promise;
    });
  const uris = async () => {
    await setImmediate();
    return begun.map(({ uri }) => uri);
  };
  return { begun, ask, uris };
}

test("one at a time, in the order of asking, and of each caller two at most", async () => {
  const { begun, ask, uris } = connection(1);
  const first = [ask("Ana", "a"), ask("Ana", "b")];
  await expect(ask("Ana", "c")).rejects.toMatchObject({ code: "throttled" });
  const ben = ask("Ben", "c");
  expect(await uris()).toEqual(["a"]);
  begun[0]!.end("A");
  expect(await first[0]).toBe("A");
  expect(await uris()).toEqual(["a", "b"]);
  begun[1]!.end("B");
  expect(await first[1]).toBe("B");
  expect(await uris()).toEqual(["a", "b", "c"]);
  begun[2]!.end("C");
  expect(await ben).toBe("C");
  const again = ask("Ana", "a");
  expect(await uris()).toEqual(["a", "b", "c", "a"]);
  begun[3]!.end("A again");
  expect(await again).toBe("A again");
});

test("one document is read once for all who wait for it", async () => {
  const { begun, ask, uris } = connection(2);
  const all = [ask("Ana", "a"), ask("Ben", "a"), ask("Ana", "a")];
  expect(await uris()).toEqual(["a"]);
  begun[0]!.end("A");
  expect(await Promise.all(all)).toEqual(["A", "A", "A"]);
});

test("a read goes on while anybody waits, and is given up when the last one leaves", async () => {
  const { begun, ask, uris } = connection(1);
  const [ana, ben, cleo] = [new AbortController(), new AbortController(), new AbortController()];
  const left = [ask("Ana", "a", ana.signal), ask("Ben", "a", ben.signal)];
  const waiting = ask("Cleo", "b", cleo.signal);
  expect(await uris()).toEqual(["a"]);
  ana.abort();
  await expect(left[0]).rejects.toThrow();
  expect(begun[0]!.signal.aborted).toBe(false);
  cleo.abort();
  await expect(waiting).rejects.toThrow();
  ben.abort();
  await expect(left[1]).rejects.toThrow();
  expect(begun[0]!.signal.aborted).toBe(true);
  // Who asks now does not get what was given up, and a read that was given up in the line never begins.
  const dan = ask("Dan", "a");
  begun[0]!.end("half");
  expect(await uris()).toEqual(["a", "a"]);
  begun[1]!.end("whole");
  expect(await dan).toBe("whole");
});
