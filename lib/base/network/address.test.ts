import { expect, test } from "vitest";
import { networksSchema } from "../../access/access-schema.ts";
import { isWithin, rememberedNetworkOf } from "./address.ts";

test.each([
  ["an address of its network", ["203.0.113.0/24"], "203.0.113.9", true],
  ["the address beside it", ["203.0.113.0/24"], "203.0.114.1", false],
  ["a network written by one of its addresses", ["203.0.113.77/24"], "203.0.113.9", true],
  ["one address", ["203.0.113.9"], "203.0.113.9", true],
  ["the address after it", ["203.0.113.9"], "203.0.113.10", false],
  ["IPv6", ["2001:db8::/32"], "2001:db8:1::7", true],
  ["another IPv6 network", ["2001:db8::/32"], "2001:db9::7", false],
  ["IPv4 written as IPv6", ["203.0.113.0/24"], "::ffff:203.0.113.9", true],
  ["IPv4 written as IPv6, of another network", ["203.0.113.0/24"], "::ffff:203.0.114.9", false],
  ["IPv6 against an IPv4 network", ["203.0.113.0/24"], "2001:db8::1", false],
  ["the second of two", ["198.51.100.0/24", "2001:db8::/32"], "2001:db8::1", true],
  ["no address", ["203.0.113.0/24"], "unknown", false],
  ["an address in another spelling", ["203.0.113.0/24"], "203.0.113.09", false],
  ["nothing", ["203.0.113.0/24"], "", false],
  ["an address with a zone", ["fe80::/10"], "fe80::1%eth0", true],
  ["an address with a zone, of another network", ["203.0.113.0/24"], "fe80::1%eth0", false],
])("%s", (_what, networks, address, is) => expect(isWithin(networks, address)).toBe(is));

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2::3", "2001:db8:1::/48"],
  ["unknown", null],
])("%s is remembered as %s", (address, network) => expect(rememberedNetworkOf(address)).toBe(network));

test.each(["203.0.113.0/24", "203.0.113.9", "2001:db8::/32", "::1", " 10.0.0.0/8 "])(
  "%s is a network",
  (network) => expect(networksSchema.safeParse([network]).success).toBe(true),
);

test.each([
  "0.0.0.0/0",
  "::/0",
  "203.0.113.0/33",
  "2001:db8::/129",
  "203.0.113/24",
  "010.0.0.0/8",
  "10.0.0.0/-1",
  "10.0.0.0/8 ,",
  "10.0.0.0/",
  "example.com",
  "::ffff:10.0.0.0/104",
  "fe80::1%eth0",
  "",
])("%s is none", (network) => expect(networksSchema.safeParse([network]).success).toBe(false));
