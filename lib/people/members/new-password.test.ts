import { expect, test } from "vitest";
import { hashNewPassword, isEasyToGuess } from "./new-password.ts";
import { verifyPassword } from "./password.ts";

test.each([
  ["among the most common", "1234567890"],
  ["one of a breach with a number", "password1234"],
  ["one of a breach, written otherwise", "P@ssw0rd123"],
  ["a row of keys", "qwertyuiop"],
  ["a row of keys and a number", "qwerty1234567"],
  ["one character again and again", "aaaaaaaaaaaa"],
  ["one word twice", "dragondragon"],
  ["a season and a year", "Summer2024!"],
  ["the product's name", "intray-intray"],
  ["the person's address", "nia.novak@acme.example"],
  ["the person's name and a number", "NiaNovak123"],
  ["the organization's name and a year", "Acme Finance 2026".replaceAll(" ", "")],
  ["a short one, repeated beyond what is judged", "ab1".repeat(66)],
])("%s is easy to guess: %s", async (_, password) => {
  expect(await isEasyToGuess(password, ["nia.novak@acme.example", "Nia Novak", "AcmeFinance"])).toBe(true);
});

test.each([
  "correct horse battery",
  "purple otter drinks tea",
  "xk29fmqpe1T",
  "слон танцует под дождём",
  "多くの単語を使う長い文です",
])("is not: %s", async (password) => {
  expect(await isEasyToGuess(password, ["nia.novak@acme.example"])).toBe(false);
});

test("a good one is hashed, and a common one refused in words, without a hash", async () => {
  expect(
    await verifyPassword("correct horse battery", await hashNewPassword("correct horse battery", [])),
  ).toBe(true);
  await expect(hashNewPassword("Password123!", [])).rejects.toMatchObject({
    code: "invalid_input",
    errors: [{ field: "password" }],
  });
});
