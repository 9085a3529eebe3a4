import { expect, test } from "vitest";
import { DOCUMENT_BYTES } from "../../mcp/limits.ts";
import { judgeContent } from "./content.ts";

const base64 = (bytes: string) => Buffer.from(bytes, "latin1").toString("base64");
const PNG = base64("\x89PNG\r\n\x1a\n rest");
const PDF = base64("%PDF-1.7 rest");
const HTML = base64("<html><script>alert(1)</script>");

test.each<[string, { mimeType?: string; text?: string; blob?: string }, string]>([
  ["text", { text: "Hello" }, "text/plain; charset=utf-8"],
  ["HTML, as text", { mimeType: "text/html", text: "<script>" }, "text/plain; charset=utf-8"],
  ["HTML in bytes, as text", { mimeType: "text/html", blob: HTML }, "text/plain; charset=utf-8"],
  ["SVG, as text", { mimeType: "image/svg+xml", text: "<svg onload=…>" }, "text/plain; charset=utf-8"],
  [
    "SVG in bytes, as text",
    { mimeType: "image/svg+xml", blob: base64("<svg/>") },
    "text/plain; charset=utf-8",
  ],
  ["a PNG", { mimeType: "image/png", blob: PNG }, "image/png"],
  ["a PNG of no type", { blob: PNG }, "image/png"],
  ["a PNG that is called binary", { mimeType: "application/octet-stream", blob: PNG }, "image/png"],
  ["a PDF", { mimeType: "Application/PDF; version=1", blob: PDF }, "application/pdf"],
  [
    "Base64 with line ends",
    { mimeType: "application/pdf", blob: `${PDF.slice(0, 8)}\r\n${PDF.slice(8)}` },
    "application/pdf",
  ],
  ["a JPEG", { blob: base64("\xff\xd8\xff\xe0 rest") }, "image/jpeg"],
  ["a GIF", { blob: base64("GIF89a rest") }, "image/gif"],
  ["a WebP", { blob: base64("RIFF\0\0\0\0WEBPVP8 ") }, "image/webp"],
  ["no bytes at all", { text: "" }, "text/plain; charset=utf-8"],
])("%s is handed out as %3$s", (_what, { mimeType = null, text = null, blob = null }, mediaType) => {
  expect(judgeContent({ mimeType, text, blob })).toMatchObject({ mediaType });
});

test.each<[string, { mimeType?: string; text?: string; blob?: string }, RegExp]>([
  [
    "HTML that claims to be a PNG",
    { mimeType: "image/png", blob: HTML },
    /says it is a PNG image, but it is not/,
  ],
  [
    "HTML that claims to be a PDF",
    { mimeType: "application/pdf", text: "<html>" },
    /says it is a PDF, but it is not/,
  ],
  [
    "text that begins like a PDF and claims so",
    { mimeType: "application/pdf", text: "%PDF-1.7" },
    /but it is not/,
  ],
  ["a PNG that claims to be a JPEG", { mimeType: "image/jpeg", blob: PNG }, /says it is a JPEG image/],
  [
    "a program",
    { mimeType: "application/x-elf", blob: base64("\x7fELF\0\0") },
    /Intray shows text, PDF and images/,
  ],
  ["what is not Base64", { blob: "%%%" }, /damaged/],
  ["nothing", {}, /damaged/],
])("%s is not shown", (_what, { mimeType = null, text = null, blob = null }, why) => {
  expect(judgeContent({ mimeType, text, blob })).toMatchObject({
    refused: "not_shown",
    why: expect.stringMatching(why),
  });
});

test("a document beyond the limit is refused, with the limit in words", () => {
  const text = "x".repeat(DOCUMENT_BYTES + 1);
  expect(judgeContent({ mimeType: null, text, blob: null })).toEqual({
    refused: "too_large",
    why: "This document is larger than 6 MB. It is not shown.",
  });
  expect(judgeContent({ mimeType: null, text: text.slice(1), blob: null })).toHaveProperty("bytes");
});
