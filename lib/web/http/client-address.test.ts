import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerOf, clientAddress, countedNetworkOf, markCaller } from "./client-address.ts";

describe("the caller's address", () => {
  test.each<[string, string | undefined, number, string]>([
    ["no proxy: the socket's", undefined, 0, "192.0.2.1"],
    ["no proxy, a header of the caller's own: the socket's", "6.6.6.6", 0, "192.0.2.1"],
    ["one proxy: what it appended", "198.51.100.7", 1, "198.51.100.7"],
    ["one proxy, a forged beginning", "6.6.6.6, 7.7.7.7, 198.51.100.7", 1, "198.51.100.7"],
    ["one proxy, a forged beginning that is no address", "', DROP, 198.51.100.7", 1, "198.51.100.7"],
    ["two proxies: what the first saw", "6.6.6.6, 198.51.100.7, 10.0.0.9", 2, "198.51.100.7"],
    ["two proxies, and a caller who came past the first", "10.0.0.9", 2, "10.0.0.9"],
    ["a proxy that appended nothing", undefined, 1, "192.0.2.1"],
    ["a proxy that hides the caller", "6.6.6.6, unknown", 1, "192.0.2.1"],
    ["a proxy that adds the port", "198.51.100.7:4711", 1, "198.51.100.7"],
    ["a proxy that adds the port to IPv6", "[2001:db8::7]:4711", 1, "2001:db8::7"],
    ["IPv6", "2001:db8::7", 1, "2001:db8::7"],
    ["IPv4 in IPv6", "::ffff:198.51.100.7", 1, "198.51.100.7"],
  ])("%s", (_what, header, proxies, address) => {
    expect(callerOf("::ffff:192.0.2.1", header, proxies)).toBe(address);
  });
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80::/64"],
  ["127.1", "unknown"],
  ["unknown", "unknown"],
  ["", "unknown"],
])("the network of %s is %s", (address, network) => {
  expect(countedNetworkOf(address)).toBe(network);
});

describe("a request on a real socket", () => {
  let url: string;
  let proxies = 0;
  const server = createServer((request, response) => {
    markCaller(request, proxies);
    const given = request.headers["x-forwarded-for"];
    response.end(clientAddress(typeof given === "string" ? given : "more than one"));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test("is its caller's, whatever it says of itself, in one line or several", async () => {
    const seen = async (...lines: string[]) => {
      const headers = new Headers();
      for (const line of lines) headers.append("x-forwarded-for", line);
      return (await fetch(url, { headers })).text();
    };
    expect(await seen()).toBe("127.0.0.1");
    expect(await seen("6.6.6.6")).toBe("127.0.0.1");
    proxies = 1;
    expect(await seen("6.6.6.6", "198.51.100.7")).toBe("198.51.100.7");
    expect(await seen("6.6.6.6, 198.51.100.7")).toBe("198.51.100.7");
  });
});
