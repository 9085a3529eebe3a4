import { describe, expect, test } from "vitest";
import { readAddress, siteOf, urlParts } from "./address.ts";

test("an address is split around its host", () => {
  expect(urlParts("https://signin.bank.example/authorize?flow=7#top")).toEqual({
    href: "https://signin.bank.example/authorize?flow=7#top",
    before: "https://",
    host: "signin.bank.example",
    after: "/authorize?flow=7#top",
    warnings: [],
  });
});

describe("a person is warned of", () => {
  test.each([
    [
      "what pretends to be a site before the @",
      "https://bank.example@evil.example/",
      "This opens evil.example",
    ],
    ["letters of other alphabets", "https://bаnk.example/", "other alphabets"],
    ["letters written as punycode", "https://xn--bnk-7cd.example/", "other alphabets"],
    ["an address in place of a name", "https://127.0.0.1/", "a number in place of a name"],
    ["an address written as one number", "https://2130706433/", "a number in place of a name"],
    ["an address of the sixth version", "https://[::1]/", "a number in place of a name"],
    ["another port", "https://bank.example:8443/", "port: 8443"],
    ["what is not encrypted", "http://bank.example/", "not encrypted"],
  ])("%s", (_, url, words) => {
    expect(urlParts(url)?.warnings.join(" ")).toContain(words);
  });

  test("nothing in a usual address, nor of the usual port", () => {
    expect(urlParts("https://bank.example:443/x")?.warnings).toEqual([]);
  });
});

test("a password in an address is not shown", () => {
  const parts = urlParts("https://ana:hunter2@bank.example/");
  expect(parts?.before).toBe("https://ana:…@");
});

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "intray:x", "bank.example", ""])(
  "%j cannot be opened",
  (url) => expect(urlParts(url)).toBeNull(),
);

test("a host in foreign letters that is longer than any is no host: to read it takes the square of its length", () => {
  const letters = Array.from({ length: 2_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
  expect(urlParts(`http://${letters}/`)).toBeNull();
  expect(urlParts(`http://${letters.slice(0, 20)}/${letters}`)?.host).toMatch(/^xn--/);
  expect(urlParts(`http://${encodeURIComponent(letters)}/`)).toBeNull();
  expect(urlParts(`https://example.com/?${letters}`)?.host).toBe("example.com");
  expect(siteOf(`http://${letters}/`)).toBe("");
  expect(readAddress(`/\\\t${letters}`, "https://example.com")).toBeNull();
});
