import { describe, expect, test } from "vitest";
import { ApiError } from "@/lib/api-client/base/client.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { answerErrorOf } from "../answer/answer-error.ts";
import { rowAfter } from "./use-next-request.ts";
import { type StableRow, settle } from "./use-request-rows.ts";

const request = (id: string, state: InputRequestSummary["state"] = "open") =>
  ({ id, state }) as InputRequestSummary;
const row = (id: string, gone = false, state?: InputRequestSummary["state"]): StableRow => ({
  request: request(id, state),
  gone,
});
const words = (rows: StableRow[]) =>
  rows.map(({ request: { id }, gone }) => (gone ? `(${id})` : id)).join(" ");

describe("rows that change", () => {
  const before = [row("a"), row("b"), row("c")];
  test.each([
    ["take the server's order when nobody points at them", ["b", "x", "c"], false, null, "b x c"],
    [
      "stay where they are under the pointer; new ones come last",
      ["x", "a", "b", "c"],
      true,
      null,
      "a b c x",
    ],
    ["stay under the pointer when they have left", ["a", "c"], true, null, "a (b) c"],
    ["leave when nobody points at them", ["a", "c"], false, null, "a c"],
    ["stay while they are read", ["a", "c"], false, "b", "a (b) c"],
    ["stay while they are read, also as the last", [], false, "c", "(c)"],
  ])("%s", (_, fresh, frozen, keep, expected) => {
    expect(
      words(
        settle(
          before,
          fresh.map((id) => request(id)),
          frozen,
          keep,
        ),
      ),
    ).toBe(expected);
  });

  test("show what they are now", () => {
    expect(settle(before, [request("a", "answered")], true, null)[0]?.request.state).toBe("answered");
  });
});

describe("after a decision", () => {
  test.each([
    ["the one below", [row("a"), row("b"), row("c")], "b", "c"],
    ["not one that has left", [row("a"), row("b"), row("c", true), row("d")], "b", "d"],
    ["not one that is answered", [row("a"), row("b"), row("c", false, "answered")], "b", "a"],
    ["at the end the nearest above", [row("a"), row("b"), row("c")], "c", "b"],
    ["none when nothing waits", [row("a", true), row("b")], "b", undefined],
    ["the first when the decided one is not in the list", [row("a"), row("b")], "z", "a"],
  ])("%s", (_, rows, id, expected) => {
    expect(rowAfter(rows, id)?.request.id).toBe(expected);
  });
});

test("a decision during which the database went away is not said to be unrecorded", () => {
  const away = new ApiError(503, { code: "database_unavailable", detail: "Away." });
  expect(answerErrorOf(away, "me")).toMatchObject({ title: "Your decision may not have arrived." });
  const own = { code: "already_answered", by: { id: "me" }, at: new Date().toISOString() };
  expect(answerErrorOf(new ApiError(409, own), "me")).toMatchObject({
    code: "mine",
    detail: "That first answer stands.",
  });
  const errors = [{ field: "comment", message: "This stage requires a reason." }];
  expect(answerErrorOf(new ApiError(422, { code: "reason_required", errors }), "me")).toMatchObject({
    title: "This stage requires a reason.",
    errors: [],
  });
});
