/** What a request is refused for before Next, or anything else, reads it. */
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { receive, refuseWrites } from "./front-limits.ts";

let origin: string;
const server = createServer((request, response) => {
  if (receive(request, response) && !refuseWrites(request, response)) response.end("seen");
});

beforeAll(async () => {
  process.env.INTRAY_URL ??= "http://localhost:3000";
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test.each([
  ["GET", "/sign-in?a=1&b=2", 200],
  ["GET", `/sign-in?${"a&".repeat(150)}`, 200],
  ["GET", `/sign-in?${"a&".repeat(5_000)}`, 414],
  ["POST", `/api/auth/csrf?${"a&".repeat(5_000)}`, 414],
  ["OPTIONS", "/", 405],
])("%s %s", async (method, path, status) => {
  const response = await fetch(`${origin}${path}`, { method });
  expect(response.status).toBe(status);
  if (status !== 200) expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test("of many requests in one packet a few are answered, and the connection ends", async () => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  let answers = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answers += text;
  });
  socket.write("GET /sign-in HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300));
  await new Promise((resolve) => socket.on("close", resolve));
  expect(answers.match(/HTTP\/1\.1 200/g)?.length).toBe(10);
  expect(answers).toMatch(/HTTP\/1\.1 429/);
});

test.each([
  ["GET", "/sign-in", 200],
  ["HEAD", "/sign-in", 200],
  ["POST", "/sign-in", 405],
  ["POST", "/", 405],
  ["PUT", "/_next/static/a.js", 405],
  ["DELETE", "/oauth/callback", 405],
  ["POST", "/api/auth/callback/password", 200],
  ["POST", "/api/../sign-in", 405],
  ["POST", "/api/%2e%2e/sign-in", 405],
  ["POST", "//api/v1/me", 405],
  ["POST", "http://intray/sign-in", 405],
])("%s %s is answered without its body", async (method, path, status) => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  // Of the body nothing comes.
  const length = status === 405 ? "Content-Length: 9000000\r\n" : "";
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${length}\r\n`);
  await new Promise((resolve) => socket.on("close", resolve));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  if (status === 405) expect(answer).toMatch(/\r\nallow: GET, HEAD\r\n/i);
});
