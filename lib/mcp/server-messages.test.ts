/** What a server of 2025-11-25 asks on its streams: questions for people, or errors that go back at once. */
import { describe, expect, it } from "vitest";
import type { Question } from "./peer.ts";
import { sortServerMessage } from "./server-messages.ts";

/** The question that the listener gets, or the error of the reply. */
function sorted(method: string, params?: unknown): Question | { code: number; message: string } | undefined {
  let asked: Question | undefined;
  const nothing = () => undefined;
  const reply = sortServerMessage(
    { id: 1, method, params: params as Record<string, unknown> },
    {
      onQuestion: (question) => {
        asked = question;
      },
      onRetracted: nothing,
      onStatus: nothing,
      onProgress: nothing,
    },
  );
  return asked ?? (reply && "error" in reply ? reply.error : undefined);
}

describe("what a server asks", () => {
  it.each([
    ["no mode", { message: "Sure?" }],
    ["an empty mode", { message: "Sure?", mode: "" }],
    ["null as its mode", { message: "Sure?", mode: null }],
  ])("with %s is a form", (_, params) => {
    expect(sorted("elicitation/create", params)).toMatchObject({ mode: "form", message: "Sure?" });
  });

  it.each([
    ["null as its message", { message: null }],
    ["no parameters", undefined],
  ])("with %s has an empty message", (_, params) => {
    expect(sorted("elicitation/create", params)).toMatchObject({ mode: "form", message: "" });
  });

  it.each([
    ["a mode that was not declared", { message: "Sing?", mode: "voice" }, "voice"],
    ["a message that is no text", { message: 7 }, "message is not a text"],
    ["no address", { message: "Sign in", mode: "url" }, "no address"],
  ])("with %s gets the protocol's error, which says why", (_, params, words) => {
    const error = { code: -32602, message: expect.stringContaining(words) };
    expect(sorted("elicitation/create", params)).toMatchObject(error);
  });

  it.each(["sampling/createMessage", "roots/list"])(
    "by %s, which was not declared, is no method",
    (method) => {
      expect(sorted(method, {})).toMatchObject({ code: -32601 });
    },
  );
});
