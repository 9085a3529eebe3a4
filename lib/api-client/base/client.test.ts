import { expect, test } from "vitest";
import { ApiError, errorSentence } from "./client.ts";

test("what went wrong is a whole sentence, also where the answer says nothing of it", () => {
  const sentences = [
    new ApiError(502, {}),
    new ApiError(409, { title: "Already answered" }),
    new ApiError(409, { title: "Already answered", detail: "Cleo approved it a minute ago." }),
  ].map(errorSentence);
  expect(sentences).toEqual(["Something went wrong.", "Already answered.", "Cleo approved it a minute ago."]);
});
