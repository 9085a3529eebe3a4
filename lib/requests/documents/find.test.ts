import { describe, expect, test } from "vitest";
import {
  distinct,
  documentsOfArguments,
  documentsOfMessage,
  documentsOfResult,
  idsIn,
  MOST_DOCUMENTS,
  newBudget,
} from "./find.ts";

const serves = { servesResources: true };
const inArguments = (args: unknown, source = serves) =>
  documentsOfArguments(args, source).map(({ uri, name, kept }) => [uri, name, kept]);

describe("documents of arguments", () => {
  test.each<[string, unknown, unknown[]]>([
    [
      "a link",
      { scan: { type: "resource_link", uri: "erp://invoices/INV%20100.pdf" } },
      [["erp://invoices/INV%20100.pdf", "INV 100.pdf", "server"]],
    ],
    [
      "a link with a title",
      { a: { type: "resource_link", uri: "erp://1", name: "one", title: "The first" } },
      [["erp://1", "The first", "server"]],
    ],
    [
      "a link to a site",
      [{ type: "resource_link", uri: "https://erp.example/1.pdf" }],
      [["https://erp.example/1.pdf", "1.pdf", "site"]],
    ],
    [
      "an embedded resource, deep",
      { a: [{ b: { type: "resource", resource: { uri: "note://1", text: "Hello" } } }] },
      [["note://1", "1", "here"]],
    ],
    ["an image", { a: { type: "image", data: "aGk=", mimeType: "image/png" } }, [[null, "Document", "here"]]],
    ["a text that is an address", { from: "file:///srv/a.txt" }, [["file:///srv/a.txt", "a.txt", "server"]]],
    ["an address among words", { note: "see erp://1 please" }, []],
    [
      "a site under the name of a document",
      { receiptUrl: "https://a.example/r" },
      [["https://a.example/r", "r", "site"]],
    ],
    ["a site under another name", { website: "https://a.example/" }, []],
    ["code", { document_uri: "javascript://%0aalert(1)" }, []],
    ["a database", { document_uri: "postgres://u:p@host/db" }, []],
    [
      "an embedded resource without its content",
      { type: "resource", resource: { uri: "note://1" } },
      [["note://1", "1", "server"]],
    ],
    ["a link without an address", { type: "resource_link", uri: "" }, []],
    ["a broken escape", { a: "erp://x/%zz" }, [["erp://x/%zz", "%zz", "server"]]],
  ])("%s", (_what, args, found) => {
    expect(inArguments(args)).toEqual(found);
  });

  test("no text is an address of a server without resources; what is declared a link is one", () => {
    const args = { a: "erp://1", b: { type: "resource_link", uri: "erp://2" } };
    expect(inArguments(args, { servesResources: false })).toEqual([["erp://2", "2", "server"]]);
  });

  test("sizes are told: of what is embedded the real one, of a link the claimed one", () => {
    const args = [
      { type: "resource", resource: { text: "Grüße" } },
      { type: "resource", resource: { blob: "aGVsbG8=" } },
      { type: "resource_link", uri: "erp://1", size: 12 },
      { type: "resource_link", uri: "erp://2", size: "many" },
    ];
    expect(documentsOfArguments(args, serves).map(({ size }) => size)).toEqual([7, 5, 12, null]);
  });

  test("a document tells where it stands, but not what is nested ever deeper", () => {
    const link = { type: "resource_link", uri: "erp://1" };
    const memo = { type: "resource", resource: { text: "Hello" } };
    const paths = (args: unknown) => documentsOfArguments(args, serves).map(({ path }) => path);
    expect(paths({ "a/b~c": [link, "erp://2"], memo })).toEqual(["/a~1b~0c/0", "/a~1b~0c/1", "/memo"]);
    let nested: unknown = memo;
    for (let depth = 0; depth < 300; depth++) nested = { a: nested };
    expect(paths({ nested })).toEqual([null]);
  });

  const link = { type: "resource_link", uri: "erp://invoices/INV-100.pdf" };
  const data = "aGk=";
  test.each<[string, unknown, (string | null)[]]>([
    ["a link of known names alone", { a: { ...link, name: "x", description: null, size: 3 } }, ["/a"]],
    ["the whole call", link, [null]],
    ["a call with more", { ...link, amount: 98_000, iban: "DE00" }, [null]],
    ["an object with more", { payment: { ...link, amount: 98_000 } }, [null]],
    ["a name that is not shown beside a title", { a: { ...link, name: "x", title: "y" } }, [null]],
    ["a name that is no text", { a: { ...link, name: { amount: 98_000 } } }, [null]],
    ["a description longer than what is shown", { a: { ...link, description: "x".repeat(301) } }, [null]],
    ["an address longer than what is shown", { a: { ...link, uri: `erp://${"x".repeat(235)}` } }, [null]],
    [
      "a media type with more than the type",
      { a: { ...link, mimeType: "application/pdf; iban=DE00" } },
      [null],
    ],
    ["the whole call, embedded", { type: "resource", resource: { text: "Hello" } }, ["/resource"]],
    [
      "an embedded one with more",
      { a: { type: "resource", resource: { text: "x" }, iban: "DE00" } },
      ["/a/resource"],
    ],
    [
      "more inside",
      { a: { type: "resource", resource: { blob: data, iban: "DE00" } } },
      ["/a/resource/blob"],
    ],
    ["two contents", { a: { type: "resource", resource: { blob: data, text: "x" } } }, ["/a/resource/text"]],
    ["an image", { a: { type: "image", data } }, ["/a"]],
    ["an image with more", { a: { type: "image", data, amount: 98_000 } }, ["/a/data"]],
    ["the whole call, an image", { type: "image", data }, ["/data"]],
    ["an address alone", { a: { scans: ["erp://1", "no address"] } }, ["/a/scans/0"]],
    ["an address alone that is longer than what is shown", { a: `erp://${"x".repeat(235)}` }, [null]],
    ["a site alone", { receipt_url: "https://a.example/r" }, ["/receipt_url"]],
    ["what hangs on a link", { a: { ...link, more: { ...link, uri: "erp://2" } } }, [null, "/a/more"]],
  ])("what is told to be nothing but a document: %s", (_, args, paths) => {
    expect(documentsOfArguments(args, serves).map(({ path }) => path)).toEqual(paths);
  });

  test("their number is bounded, and so is the way through nested values", () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `erp://${n}`);
    expect(documentsOfArguments(many, serves)).toHaveLength(MOST_DOCUMENTS);
    let nested: unknown = "erp://deep";
    for (let depth = 0; depth < 30_000; depth++) nested = [nested];
    expect(documentsOfArguments(nested, serves)).toEqual([]);
    // More values than a function takes arguments.
    expect(documentsOfArguments({ list: Array(500_000).fill(1), a: "erp://1" }, serves)).toHaveLength(0);
  });
});

test.each([
  ["Approve erp://invoices/7?", ["erp://invoices/7"]],
  ["Two (file:///a.txt) and <erp://b>, https://c.example/ is none.", ["file:///a.txt", "erp://b"]],
  ["C:// is a drive, x://y too short, and mailto:a@b.example a mail", []],
])("of the message %j", (message, uris) => {
  expect(documentsOfMessage(message, serves).map(({ uri }) => uri)).toEqual(uris);
  expect(documentsOfMessage(message, { servesResources: false })).toEqual([]);
});

test("a result has the parts that are documents, not the words of the tool", () => {
  const content = [
    { type: "text", text: "erp://not-one" },
    { type: "resource_link", uri: "erp://one" },
    { type: "resource", resource: { uri: "erp://two", blob: "aGk=" } },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ];
  expect(documentsOfResult({ content }).map(({ uri, kept }) => [uri, kept])).toEqual([
    ["erp://one", "server"],
    ["erp://two", "here"],
    [null, "here"],
  ]);
});

test("what is found twice is one document, the first", () => {
  const twice = documentsOfArguments(["erp://1", "erp://2", "erp://1"], serves);
  expect(distinct(twice).map(({ uri }) => uri)).toEqual(["erp://1", "erp://2"]);
});

test("ids in arguments are found once each, and only whole texts", () => {
  const id = "019b76da-a800-7000-8000-000000001201";
  expect(idsIn({ after: [id, id.toUpperCase()], note: `see ${id}` })).toEqual([id]);
  expect(idsIn(undefined)).toEqual([]);
});

test("a link among a hundred thousand other names is found, and what stands beside it stays in the details", () => {
  const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, n]));
  const before = process.threadCpuUsage();
  const found = documentsOfResult({ type: "resource_link", uri: "erp://one", name: "One", ...names });
  const { user, system } = process.threadCpuUsage(before);
  expect(found.map(({ uri, path }) => [uri, path])).toEqual([["erp://one", null]]);
  expect((user + system) / 1_000).toBeLessThan(500);
});

test("of an object that is no document nothing but its type is read", () => {
  const reads: unknown[] = [];
  const spied = new Proxy({}, { get: (_, name) => void reads.push(name) });
  expect(documentsOfResult({ content: [spied] })).toEqual([]);
  expect(reads).toEqual(["type"]);
});

test("the values of all sources count together", () => {
  const budget = newBudget();
  const link = { type: "resource_link", uri: "erp://1", name: "One" };
  expect(documentsOfResult([link], budget)).toHaveLength(1);
  expect(documentsOfArguments(Array(15_000).fill({}), serves, budget)).toEqual([]);
  expect(documentsOfResult([...Array(6_000).fill({}), link], budget)).toEqual([]);
  expect(documentsOfResult([link], budget)).toEqual([]);
});

test("a name of more than 200 characters is none of a document", () => {
  const address = "https://files.example/1";
  expect(inArguments({ [`${"a".repeat(187)}_document_url`]: address })).toHaveLength(1);
  expect(inArguments({ [`${"a".repeat(188)}_document_url`]: [address] })).toEqual([]);
});
