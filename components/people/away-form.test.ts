import { expect, test } from "vitest";
import { awayInputSchema } from "@/lib/policy/away/away-schema.ts";
import { readAway, wallTime } from "./away-form.tsx";

const DELEGATE = "01a21884-f3da-7096-a116-4946d69d8d91";
const form = (fields: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return readAway(data);
};
const day = (at: string) => wallTime(new Date(at));
const FILLED = {
  from: day("2026-12-01T08:00:00Z"),
  until: day("2026-12-03T08:00:00Z"),
  delegateUserId: DELEGATE,
  servers: "",
  tools: " ",
  rules: "",
  reason: " ",
};

test("times are meant where the person is, and what is left empty is nothing", () => {
  expect(awayInputSchema.parse(form(FILLED))).toEqual({
    from: "2026-12-01T08:00:00.000Z",
    until: "2026-12-03T08:00:00.000Z",
    delegateUserId: DELEGATE,
    scope: null,
    reason: null,
  });
});

test("names stand between commas", () => {
  const { scope } = awayInputSchema.parse(form({ ...FILLED, servers: "Finance ERP, HR,", rules: "Large" }));
  expect(scope).toEqual({ servers: ["Finance ERP", "HR"], tools: null, rules: ["Large"] });
});

test("what is not filled in is refused at its field", () => {
  const { error } = awayInputSchema.safeParse(form({ ...FILLED, from: "", delegateUserId: "" }));
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["from", "delegateUserId"]);
});
