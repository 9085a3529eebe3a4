import { expect, test } from "vitest";
import type { RequestDocument } from "../documents/document-schema.ts";
import { isUnreadPart, textInArguments } from "./embedded-documents.ts";

const document: RequestDocument = {
  id: "0".repeat(32),
  name: "bill",
  description: null,
  uri: "erp://bill",
  mimeType: null,
  size: null,
  from: "arguments",
  path: null,
  kept: "server",
  server: { id: "01890a5d-ac96-774b-bcce-b302099a8057", name: "ERP" },
};

const resource = (content: object) => ({ type: "resource", resource: content });
const here = (path: string | null): RequestDocument => ({ ...document, kept: "here", path });
test.each<[string, Record<string, unknown>, RequestDocument, string | null, boolean]>([
  ["a text", { "a/b": [resource({ text: "Pay it" })] }, here("/a~1b/0"), "Pay it", false],
  ["its resource alone", { a: resource({ text: "Pay it" }) }, here("/a/resource"), "Pay it", false],
  ["its text alone", { a: resource({ text: "Pay it" }) }, here("/a/resource/text"), "Pay it", false],
  ["bytes", { a: resource({ blob: "aGk=" }) }, here("/a"), null, true],
  [
    "bytes beside a text",
    { a: resource({ blob: "aGk=", text: null }) },
    here("/a/resource/blob"),
    null,
    true,
  ],
  ["an image", { a: { type: "image", data: "aGk=" } }, here("/a/data"), null, true],
  ["a place that is not told", { a: resource({ blob: "aGk=" }) }, here(null), null, true],
  ["a place that is not there", { a: 1 }, here("/a/toString"), null, true],
  ["a link", { a: "erp://bill" }, { ...document, path: "/a" }, null, false],
  ["of a result", {}, { ...here("/a"), from: "result" }, null, false],
])("what is opened before a decision: %s", (_, args, each, text, isUnread) => {
  expect(textInArguments(args, each)).toBe(text);
  expect(isUnreadPart(args, each)).toBe(isUnread);
});
