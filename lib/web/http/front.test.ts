import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { forgetAll } from "../../base/process/process-wide.ts";
import { receive } from "./front-limits.ts";

afterEach(() => vi.unstubAllEnvs());

interface Reply {
  status: number;
  security: string | undefined;
  allow: string | undefined;
  body: string;
}

/** What a server with our door in front of it answers. Its handler says the header by itself, too, as ours do. */
async function ask(url: string, method: string): Promise<Reply> {
  vi.stubEnv("INTRAY_URL", url);
  forgetAll();
  const server = createServer((request, response) => {
    if (receive(request, response)) response.end("handled");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const sent = httpRequest(
        { port, host: "127.0.0.1", method, headers: { "x-told": "tr4ced" } },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (text) => (body += text));
          const { "strict-transport-security": security, allow } = response.headers;
          response.on("end", () => resolve({ status: response.statusCode ?? 0, security, allow, body }));
        },
      );
      sent.on("error", reject).end();
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

test("every answer, a file's too, keeps browsers to https where the site is https", async () => {
  expect(await ask("https://intray.example", "GET")).toMatchObject({
    status: 200,
    security: "max-age=31536000",
    body: "handled",
  });
  expect((await ask("https://intray.example", "TRACE")).security).toBe("max-age=31536000");
  expect((await ask("http://localhost:3000", "GET")).security).toBeUndefined();
});

test.each(["TRACE", "OPTIONS", "PROPFIND"])(
  "%s is refused, and nothing of it is said back",
  async (method) => {
    const refused = await ask("http://localhost:3000", method);
    expect(refused).toMatchObject({
      status: 405,
      allow: "GET, HEAD, POST, PUT, PATCH, DELETE",
      body: "",
    });
  },
);

test.each(["GET", "POST", "PUT", "PATCH", "DELETE"])("%s is handled", async (method) => {
  expect(await ask("http://localhost:3000", method)).toMatchObject({ status: 200, body: "handled" });
});
