import { expect, test } from "vitest";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { answerErrorOf } from "./answer-error.ts";

test("a decision during which the database went away is not said to be unrecorded", () => {
  const away = new ApiError(503, { code: "database_unavailable", detail: "Away." });
  expect(answerErrorOf(away, "me")).toMatchObject({ title: "Your decision may not have arrived." });
  const own = { code: "already_answered", by: { id: "me" }, at: new Date().toISOString() };
  expect(answerErrorOf(new ApiError(409, own), "me")).toMatchObject({
    code: "mine",
    detail: "Your first answer counts.",
  });
  const errors = [{ field: "comment", message: "This stage requires a reason." }];
  expect(answerErrorOf(new ApiError(422, { code: "reason_required", errors }), "me")).toMatchObject({
    title: "This stage requires a reason.",
    errors: [],
  });
});
