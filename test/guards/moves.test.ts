/** Every statement that moves a row to another state names the states that it may move from. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** From the table to the end of the statement: the next one, or the end of the text. */
const MOVE = /UPDATE (?<table>\w+)(?: \w+)? SET (?<rest>(?:(?!UPDATE |INSERT |DELETE |`;|`\n).|\n)*)/g;

test("no row changes its state whatever state it is in", () => {
  const moves = globSync("lib/**/*.ts", { exclude: (path) => /(\.test\.ts|generated)$/.test(path) }).flatMap(
    (path) =>
      [...readFileSync(path, "utf8").matchAll(MOVE)].flatMap(({ index, groups }) => {
        const [set = "", ...where] = groups!.rest!.split(/\bWHERE\b/);
        if (!/\bstate = |\$\{set\}/.test(set)) return [];
        return [
          {
            place: `${path} at ${index}: ${groups!.table}`,
            isBound: /\bstate\b|\$\{from\}/.test(where.join(" ")),
          },
        ];
      }),
  );
  expect(moves.length).toBeGreaterThan(40);
  expect(moves.filter(({ isBound }) => !isBound).map(({ place }) => place)).toEqual([]);
});
