import { expect, test } from "vitest";
import { readJson } from "./body.ts";

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
