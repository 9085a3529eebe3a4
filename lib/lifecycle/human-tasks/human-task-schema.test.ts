import { expect, test } from "vitest";
import { createRequestSchema, requestApprovalSchema } from "./human-task-schema.ts";

test("a currency without an amount is refused, however it is sent", () => {
  for (const [schema, asked] of [
    [createRequestSchema, { kind: "approval", message: "Pay?" }],
    [requestApprovalSchema, { action: "Pay" }],
  ] as const) {
    const { error } = schema.safeParse({ ...asked, currency: "EUR" });
    expect(error?.issues.map(({ path }) => path)).toEqual([["currency"]]);
    expect(schema.safeParse({ ...asked, amount: 5, currency: "eur" }).data).toMatchObject({
      currency: "EUR",
    });
  }
});
