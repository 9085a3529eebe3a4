import { expect, test } from "vitest";
import { unreachedAdvice } from "./address-words.ts";

test.each([
  ["http://localhost:3055/mcp", "localhost:3055"],
  ["http://127.0.0.1:3055/mcp", "127.0.0.1:3055"],
  ["http://[::1]:3055/mcp", "[::1]:3055"],
  ["https://mcp.corp.internal/mcp", "mcp.corp.internal:443"],
  ["http://erp/mcp", "erp:80"],
  ["http://10.1.2.3/mcp", "10.1.2.3:80"],
  ["http://172.20.0.4:8080/mcp", "172.20.0.4:8080"],
])("%s: how to allow %s", (url, host) => {
  expect(unreachedAdvice(url)).toContain(`INTRAY_ALLOW_HOSTS=${host} npm start`);
});

test.each(["http://$(reboot)/mcp", "http://a;b`c`&d/mcp", "http://a';b'.local/mcp"])(
  "%s is in no command: its host name would run in a shell",
  (url) => {
    expect(unreachedAdvice(url)).not.toContain("INTRAY_ALLOW_HOSTS");
  },
);

test.each([
  "https://mcp.example.com/mcp",
  "http://172.32.0.1/mcp",
  "https://8.8.8.8/",
  "nonsense",
  // No setting opens these.
  "http://169.254.169.254/latest",
  "http://0.0.0.0:3055/mcp",
  "http://[fe80::1]:3055/mcp",
  "http://[::]:3055/mcp",
])("%s: look whether it runs", (url) => {
  expect(unreachedAdvice(url)).not.toContain("INTRAY_ALLOW_HOSTS");
});
