import { expect, test } from "vitest";
import { refuseCall, refuseImport } from "./network-access.ts";

test.each([
  ["lib/web/notices.ts", "undici"],
  ["lib/web/notices.ts", "ws"],
  ["lib/engine/task/send-call.ts", "node:http"],
  ["lib/mcp/peer.ts", "node:https"],
  ["app/api/v1/me/route.ts", "node:net"],
  ["scripts/commands/doctor.ts", "node:tls"],
  ["lib/web/notices.ts", "node:http2"],
  ["lib/web/notices.ts", "node:dns/promises"],
  ["lib/engine/main.ts", "@opentelemetry/exporter-trace-otlp-http"],
])("%s may not import %s", (file, specifier) => {
  expect(refuseImport(file, specifier, false)).toBeDefined();
});

test.each([
  ["lib/base/network/network.ts", "undici", false],
  ["lib/mcp/wire/wire.ts", "node:http", true],
  ["scripts/web/serve.ts", "node:http", false],
  ["lib/web/notices.ts", "node:crypto", false],
  ["examples/invoice-server/protocol/http.ts", "node:http", false],
])("%s may import %s (type only: %s)", (file, specifier, typeOnly) => {
  expect(refuseImport(file, specifier, typeOnly)).toBeUndefined();
});

test.each([
  "const reply = await fetch(url);",
  "return globalThis.fetch(url);",
  "await window.fetch (url);",
  "call(fetch, url);",
  "const ask = fetch;",
  "new Client({ fetch: globalThis.fetch });",
  'const socket = new WebSocket("wss://example.com");',
  "const source = new EventSource(url);",
  "navigator.sendBeacon(url);",
])("a line may not say %s", (code) => {
  expect(refuseCall("lib/web/notices.ts", code)).toBeDefined();
});

test.each([
  "const reply = await network.fetch(url);",
  "fetch(url: string | URL, init?: RequestInit): Promise<Response>;",
  "void list.refetch();",
  "const prefetch = (href) => router.prefetch(href);",
])("a line may say %s", (code) => {
  expect(refuseCall("lib/web/notices.ts", code)).toBeUndefined();
});
