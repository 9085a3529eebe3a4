import { expect, test } from "vitest";
import { checkSetupToken } from "./setup.ts";

const TOKEN = "abcd-efgh-jkmn-pqrs";

test.each([
  ["the token", TOKEN],
  ["with the spaces of a paste", `  ${TOKEN}\n`],
])("%s is taken", (_name, given) => {
  expect(() => checkSetupToken(given, TOKEN)).not.toThrow();
});

test.each([
  ["nothing", ""],
  ["its beginning", TOKEN.slice(0, -1)],
  ["more than it", `${TOKEN}x`],
  ["in capitals", TOKEN.toUpperCase()],
  ["as long", "x".repeat(TOKEN.length)],
  ["another text", "wrong"],
])("%s is refused, and the refusal does not say it", (_name, given) => {
  const refusal = (() => {
    try {
      checkSetupToken(given, TOKEN);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toMatchObject({ code: "wrong_setup_token", errors: [{ field: "token" }] });
  expect(JSON.stringify(refusal)).not.toContain(TOKEN);
});

test.each(["", "undefined", "null", TOKEN])(
  "without a token of its own an installation takes none: %j",
  (given) => {
    expect(() => checkSetupToken(given, undefined)).toThrow(
      expect.objectContaining({ code: "setup_closed" }),
    );
  },
);
