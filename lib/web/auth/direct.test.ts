import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Arrival, cameDirectly, directHeaders, isDirect, markDirect } from "./direct.ts";

const HOST = ["Host", "localhost:3000"];
const browser: Arrival = {
  httpVersion: "1.1",
  target: "/sign-in",
  rawHeaders: [...HOST, "Accept", "*/*", "Sec-Fetch-Site", "same-origin", "Origin", "http://localhost:3000"],
  peer: "127.0.0.1",
};

test.each<[string, Partial<Arrival>]>([
  ["a browser", {}],
  ["curl", { rawHeaders: [...HOST, "User-Agent", "curl/8", "Accept", "*/*"] }],
  ["over IPv6", { peer: "::1", rawHeaders: ["host", "[::1]:3000"] }],
  ["IPv4 in IPv6", { peer: "::ffff:127.0.0.1" }],
  ["a page of ours", { rawHeaders: [...HOST, "X-Intray-Organization", "one", "x-nextjs-data", "1"] }],
])("%s came directly", (_name, change) => {
  expect(cameDirectly({ ...browser, ...change })).toBe(true);
});

test.each(
  [
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Forwarded-Port",
    "X-Forwarded-Server",
    "x-forwarded",
    "X_Forwarded_For",
    "X-Real-IP",
    "Via",
    "CF-Connecting-IP",
    "CF-Ray",
    "True-Client-IP",
    "Client-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "Fastly-Client-IP",
    "Fly-Client-IP",
    "X-Original-Host",
    "X-Envoy-External-Address",
    "X-Amzn-Trace-Id",
    "X-Azure-ClientIP",
    "X-Vercel-Forwarded-For",
    "X-ProxyUser-Ip",
    "X-Intray-Direct",
    "CDN-Loop",
    "Tailscale-User-Login",
    "ngrok-skip-browser-warning",
    "Proxy-Connection",
    "WL-Proxy-Client-IP",
    "Max-Forwards",
  ].flatMap((name) => [
    [name, "10.1.2.3"],
    [name, ""],
    [name.toUpperCase(), "127.0.0.1"],
  ]),
)("%s: %j is of a proxy", (name, value) => {
  expect(cameDirectly({ ...browser, rawHeaders: [...browser.rawHeaders, name, value] })).toBe(false);
});

test.each<[string, Partial<Arrival>]>([
  ["HTTP/1.0, as nginx speaks by default", { httpVersion: "1.0" }],
  ["an absolute target, as a proxy is asked", { target: "http://localhost:3000/sign-in" }],
  ["a peer on the network", { peer: "10.0.0.7" }],
  ["no peer", { peer: undefined }],
  ["another name for this machine", { rawHeaders: ["Host", "intray.example"] }],
  ["no Host", { rawHeaders: [] }],
  ["two Hosts", { rawHeaders: [...HOST, "host", "intray.example"] }],
  [
    "a page of another name, behind a proxy that replaced Host",
    { rawHeaders: [...HOST, "Origin", "https://intray.example"] },
  ],
  ["a page of no name", { rawHeaders: [...HOST, "Origin", "null"] }],
])("%s did not come directly", (_name, change) => {
  expect(cameDirectly({ ...browser, ...change })).toBe(false);
});

const seen: Headers[] = [];
const server = createServer((message: IncomingMessage, response) => {
  markDirect(message);
  seen.push(new Headers(message.headers as Record<string, string>));
  response.end();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test.each<[string, Record<string, string>, boolean]>([
  ["as it is", {}, true],
  ["with a proxy's header", { via: "1.1 proxy" }, false],
  ["with a mark that was guessed", { "x-intray-direct": "1" }, false],
  ["with the true mark, behind a proxy", { ...directHeaders(), via: "1.1 proxy" }, false],
  ["with the true mark", directHeaders(), false],
])("a request over a socket, %s: direct %j → %j", async (_name, headers, expected) => {
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", headers, agent: false }, (response) =>
      response.resume().on("end", resolve),
    )
      .on("error", reject)
      .end();
  });
  expect(isDirect(seen.at(-1) as Headers)).toBe(expected);
});

test.each(["", "1", "x".repeat(43)])(
  "a handler without the server in front takes no mark but the true one: %j",
  (mark) => {
    expect(isDirect(new Headers({ "x-intray-direct": mark }))).toBe(false);
    expect(isDirect(new Headers())).toBe(false);
    expect(isDirect(new Headers(directHeaders()))).toBe(true);
  },
);
