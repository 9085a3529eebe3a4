import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiError, api, ConnectionError, errorSentence } from "./client.ts";

test("what went wrong is a whole sentence, also where the answer says nothing of it", () => {
  const sentences = [
    new ApiError(502, {}),
    new ApiError(409, { title: "Already answered" }),
    new ApiError(409, { title: "Already answered", detail: "Cleo approved it a minute ago." }),
  ].map(errorSentence);
  expect(sentences).toEqual(["Something went wrong.", "Already answered.", "Cleo approved it a minute ago."]);
});

describe("an answer of JSON lines", () => {
  let server: Server;
  let url: string;
  let gone = 0;

  beforeAll(async () => {
    Object.defineProperty(navigator, "onLine", { value: true, configurable: true });
    server = createServer(async (request, response) => {
      response.on("close", () => {
        if (!response.writableFinished) gone++;
      });
      if (request.url === "/refused") {
        response.writeHead(429).end('{"code":"throttled","title":"Too many"}');
        return;
      }
      // In pieces that end anywhere, also within a letter.
      const bytes = Buffer.from('{"n":1}\n{"name":"Zoë"}\n');
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await sleep(1);
      }
      if (request.url === "/broken") response.destroy();
      else if (request.url === "/whole") response.end('{"n":3}\n');
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    Reflect.deleteProperty(navigator, "onLine");
    server.closeAllConnections();
    server.close();
  });

  const read = async (path: string, most = 10, signal = new AbortController().signal) => {
    const lines: unknown[] = [];
    for await (const line of api.lines(`${url}${path}`, {}, signal)) if (lines.push(line) >= most) break;
    return lines;
  };

  test("is read line by line, wherever its pieces end", async () => {
    expect(await read("/whole")).toEqual([{ n: 1 }, { name: "Zoë" }, { n: 3 }]);
  });

  test("that is refused says why, and one that breaks off that it did", async () => {
    await expect(read("/refused")).rejects.toMatchObject({ code: "throttled", status: 429 });
    await expect(read("/broken")).rejects.toBeInstanceOf(ConnectionError);
  });

  test("is left by who has read enough, and by who gives up", async () => {
    const before = gone;
    expect(await read("/endless", 1)).toEqual([{ n: 1 }]);
    const control = new AbortController();
    const reading = read("/endless", 10, control.signal);
    await sleep(100);
    control.abort();
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => gone).toBe(before + 2);
  });
});
