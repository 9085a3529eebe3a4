import { expect, test } from "vitest";
import { Circuit } from "./circuit.ts";

test("twenty failures at once count as one, and one step tries for all", () => {
  const circuit = new Circuit();
  const first = circuit.fail(0, null);
  expect(first.isNews).toBe(true);
  for (let at = 0; at < 20; at++) expect(circuit.fail(1, null).isNews).toBe(false);
  expect(first.pause).toBeLessThanOrEqual(500);

  expect(circuit.waitFor("a", first.pause / 2)).toBe(first.pause / 2);
  expect(circuit.waitFor("a", first.pause)).toBe(0);
  expect(circuit.waitFor("b", first.pause)).toBeGreaterThan(0);
  circuit.release("a");
  expect(circuit.waitFor("b", first.pause)).toBe(0);
});

test("a server that is well again is everybody's at once", () => {
  const circuit = new Circuit();
  expect(circuit.succeed()).toBe(false);
  circuit.fail(0, 60_000);
  expect(circuit.isOpen(59_999)).toBe(true);
  expect(circuit.succeed()).toBe(true);
  expect(circuit.waitFor("a", 1)).toBe(0);
  expect(circuit.waitFor("b", 1)).toBe(0);
});

test("what the server asks for counts, also while the circuit is open", () => {
  const circuit = new Circuit();
  circuit.fail(0, null);
  expect(circuit.fail(1, 30_000)).toEqual({ pause: 30_000, isNews: true });
  expect(circuit.waitFor("a", 1)).toBe(30_000);
});
