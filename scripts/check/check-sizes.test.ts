import { expect, test } from "vitest";
import { overBudget } from "./check-sizes.ts";

test("a page over its budget, one with heavy styles and one without a budget are named; others are not", () => {
  const light = { scripts: 1, styles: 1 };
  const wrong = overBudget([
    { page: "/inbox/[[...id]]", ...light },
    { page: "/tasks", ...light, scripts: 10_000_000 },
    { page: "/sign-in", ...light, styles: 10_000_000 },
    { page: "/new-page", ...light },
  ]);
  expect(wrong.map((line) => /\/[\w-]+/.exec(line)?.[0])).toEqual(["/tasks", "/sign-in", "/new-page"]);
});
