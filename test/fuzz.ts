/**
 * Properties that hold for whatever a server may say. The seed is fixed, so that a run can be repeated; `FUZZ_RUNS`
 * makes more of them, `FUZZ_SEED` others. A failure names the smallest input that was found.
 */
import fc from "fast-check";
import { test } from "vitest";

const SEED = Number(process.env.FUZZ_SEED ?? 20261121);

/** A test of so many runs. `more` gives the inputs that were found to fail once. */
export function fuzz<T extends unknown[]>(
  name: string,
  property: fc.IProperty<T> | fc.IAsyncProperty<T>,
  more: { runs?: number; examples?: T[] } = {},
): void {
  const numRuns = Number(process.env.FUZZ_RUNS ?? more.runs ?? 1_000);
  test(`${name} (seed ${SEED})`, { timeout: 120_000 + numRuns * 20 }, () =>
    fc.assert(property as fc.IAsyncProperty<T>, { seed: SEED, numRuns, examples: more.examples ?? [] }),
  );
}

/** Names that objects have already, texts that databases and screens have trouble with, and plain ones. */
export const oddText = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "",
    "\u0000",
    "\uD800",
    "\u202E",
    "a\u0000b",
    "\u200B",
    "</script>",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 20 }),
);

export const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON. */
export const oddJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    oddNumber,
    oddText,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(oddText, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** An object with these members, each as it should be, or odd, or missing. */
export function nearly(
  members: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Record<string, unknown>> {
  const bent = Object.entries(members).map(([name, right]) => [
    name,
    fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: oddJson }),
  ]);
  return fc
    .tuple(
      fc.record(Object.fromEntries(bent), { requiredKeys: [] }),
      fc.array(fc.tuple(oddText, oddJson), { maxLength: 2 }),
    )
    .map(([known, unknown]) => ({ ...known, ...Object.fromEntries(unknown) }));
}
