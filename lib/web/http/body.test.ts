import { expect, test } from "vitest";
import { readForm, readJson } from "./body.ts";

test("a caller who leaves while sending the body is told from a database that is away", async () => {
  const left = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"tool":')),
    pull: (stream) => stream.error(left),
  });
  const request = new Request("http://intray.test/api/v1/tasks", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit);
  await expect(readJson(request)).rejects.toMatchObject({ code: "invalid_json", cause: left });
});

const sent = (type: string, body: string) =>
  new Request("http://intray.test/api", { method: "POST", headers: { "content-type": type }, body });

test("a body of more values, or of more levels, than any call needs is refused before it is parsed", async () => {
  const json = (value: unknown) =>
    readJson(sent("application/json", JSON.stringify(value)), undefined, undefined, 100);
  expect(await json(Array(50).fill(1))).toHaveLength(50);
  await expect(json(Array(150).fill(1))).rejects.toMatchObject({ code: "too_large" });
  const deep = "[".repeat(10_000) + "]".repeat(10_000);
  await expect(readJson(sent("application/json", deep))).rejects.toMatchObject({ code: "invalid_json" });
});

test("a form of more fields than any form has is refused before they are read", async () => {
  const form = (text: string) => readForm(sent("application/x-www-form-urlencoded", text));
  expect((await form("a=1&b=2")).get("b")).toBe("2");
  await expect(form("a&".repeat(20_000))).rejects.toMatchObject({ code: "too_large" });
});
