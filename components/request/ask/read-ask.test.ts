import { expect, test } from "vitest";
import { type AnswerKind, askFormSchema, readAsk } from "./read-ask.ts";

function read(
  fields: Record<string, string>,
  kind: "approval" | "question" = "approval",
  answer: AnswerKind = "text",
) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  const parsed = askFormSchema.safeParse(readAsk(data, kind, answer));
  return (
    parsed.data ?? parsed.error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n")
  );
}

test("an approval is what was typed, without what was left empty", () => {
  expect(
    read({
      message: " Pay INV-100 ",
      amount: "1 234.50",
      currency: "eur",
      details: "Vendor: ACME Corp\nas agreed\n\nDue: 1 December: noon",
      links: "https://a.example/1\nhttps://a.example/2",
      to: "",
      label: "",
      expiresAt: "",
      choices: "ignored",
    }),
  ).toEqual({
    kind: "approval",
    message: "Pay INV-100",
    amount: 1234.5,
    currency: "EUR",
    details: { Vendor: "ACME Corp", Note: "as agreed", Due: "1 December: noon" },
    links: ["https://a.example/1", "https://a.example/2"],
  });
});

test("a question has a form, and no amount", () => {
  expect(read({ message: "Which?", amount: "5", choices: "A\nB\nA" }, "question", "choice")).toEqual({
    kind: "question",
    message: "Which?",
    form: {
      type: "object",
      properties: { answer: { type: "string", title: "Answer", enum: ["A", "B"] } },
      required: ["answer"],
    },
  });
});

test("an end is meant in the person's own time", () => {
  const in2h = new Date(Date.now() + 2 * 3_600_000);
  const local = new Date(in2h.getTime() - in2h.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  const made = read({ message: "Now?", expiresAt: local });
  const minute = Math.floor(in2h.getTime() / 60_000) * 60_000;
  expect(made).toMatchObject({ expiresAt: new Date(minute).toISOString() });
});

test.each([
  [{ message: "" }, "approval", "text", /^message: /],
  [{ message: "Pay", amount: "1,234.50" }, "approval", "text", /^amount: Write it like 1234.5/],
  [{ message: "Pay", currency: "EUR" }, "approval", "text", /currency: A currency needs an amount/],
  [{ message: "Pay", links: "javascript:alert(1)" }, "approval", "text", /^links\.0: /],
  [{ message: "Which?", choices: "One" }, "question", "choice", /^choices: Write two choices/],
  [{ message: "Now?", expiresAt: "2020-01-01T10:00" }, "approval", "text", /^expiresAt: In the future/],
] as const)("%o can't be asked", (fields, kind, answer, why) => {
  expect(read(fields, kind, answer)).toMatch(why);
});
