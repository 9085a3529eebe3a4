import { expect, test } from "vitest";
import { isLoopback, isLoopbackHost, staysOnThisMachine } from "./address.ts";

test.each([
  ["localhost", true],
  ["LOCALHOST", true],
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["::1", true],
  ["[::1]", true],
  ["", false],
  ["0.0.0.0", false],
  ["::", false],
  ["localhost.", false],
  ["localhost.example", false],
  ["127.0.0.1.example.com", false],
  ["192.168.1.2", false],
  ["::ffff:10.0.0.1", false],
])("loopback: %s → %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test.each([
  ["localhost:3000", true],
  ["127.0.0.1", true],
  ["[::1]:3000", true],
  ["::1", false],
  ["localhost:3000, evil.example", false],
  ["localhost@evil.example", false],
  ["evil.example", false],
  ["", false],
  [null, false],
])("a Host header of this machine: %s → %s", (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

test.each([
  { name: "as it comes", host: "127.0.0.1", url: "http://localhost:3000", stays: true },
  { name: "IPv6", host: "::1", url: "http://[::1]:3000", stays: true },
  { name: "another spelling of the address", host: "localhost", url: "http://127.1:3000", stays: true },
  { name: "listening on the network", host: "0.0.0.0", url: "http://localhost:3000", stays: false },
  { name: "known by a name", host: "127.0.0.1", url: "https://intray.example", stays: false },
  { name: "a name that only begins so", host: "127.0.0.1", url: "http://localhost.example", stays: false },
  {
    name: "a name before the real one",
    host: "127.0.0.1",
    url: "http://localhost@intray.example",
    stays: false,
  },
])("stays on this machine: $name → $stays", ({ host, url, stays }) => {
  expect(staysOnThisMachine({ host, url })).toBe(stays);
});
