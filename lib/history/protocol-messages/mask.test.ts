import { expect, test } from "vitest";
import { maskWithin } from "./mask.ts";

const secret = "sk-1".padEnd(4_000, "0123456789abcdef");

test("of a text that is cut within a secret nothing of it stays", () => {
  const text = `${secret}${secret}${"y".repeat(1_000)}${secret}${"z".repeat(9_000)}`;
  const { body } = maskWithin({ x: text }, [secret], 3_000);
  expect(JSON.stringify(body)).not.toContain("sk-1");
  expect(JSON.stringify(body)).toContain(`(${text.length} characters)`);
});

test("a text that fits has its secrets masked, and is whole", () => {
  expect(maskWithin({ x: `a${secret}b` }, [secret, ""]).body).toEqual({ x: "a•••b" });
});
