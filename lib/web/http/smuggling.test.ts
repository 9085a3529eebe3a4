/** The end of a message is where everybody in front of Intray takes it to be, or the message is refused. */
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: Server;
const handled: string[] = [];

beforeAll(async () => {
  // As scripts/web.ts makes it.
  server = createServer({ shouldUpgradeCallback: () => false }, (request, response) => {
    handled.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end("handled"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends bytes as they are. Returns all that is answered until the server closes the connection. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.end(bytes));
    let answer = "";
    socket.setEncoding("latin1").on("data", (text) => (answer += text));
    socket.on("error", reject).on("close", () => resolve(answer));
  });
}

const HEAD = "POST /first HTTP/1.1\r\nHost: intray.example\r\n";
const HIDDEN = "GET /hidden HTTP/1.1\r\nHost: intray.example\r\n\r\n";

test.each([
  ["a length and chunks", `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ["two lengths", `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`],
  ["a length that is no number", `Content-Length: 0x0\r\n\r\n${HIDDEN}`],
  ["an encoding that nobody knows", `Transfer-Encoding: xchunked\r\n\r\n${HIDDEN}`],
  ["chunks that are not the last encoding", `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ["a blank before the colon", `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  [
    "a header that goes on on the next line",
    `Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n${HIDDEN}`,
  ],
  ["a chunk's length with a sign", `Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${HIDDEN}`],
])("%s: the message is refused, and what it hides is no request", async (_what, rest) => {
  handled.length = 0;
  const answer = await send(HEAD + rest);
  expect(answer).toMatch(/HTTP\/1\.1 400 /);
  expect(handled).not.toContain("GET /hidden");
});

test("two sound messages on one connection are two", async () => {
  handled.length = 0;
  const answer = await send(`${HEAD}Content-Length: 5\r\n\r\n12345${HIDDEN}`);
  expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  expect(handled).toEqual(["POST /first", "GET /hidden"]);
});
