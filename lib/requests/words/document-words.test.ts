import { expect, test } from "vitest";
import { bothEnds } from "../../text/labels.ts";
import type { RequestDocument } from "../documents/document-schema.ts";
import { documentFacts, savedName } from "./document-words.ts";

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

test.each<[Partial<RequestDocument>, string]>([
  [{}, "From the details"],
  [{ name: "bill.PDF" }, "PDF, from the details"],
  [{ name: "bill.pdf", mimeType: "image/jpeg" }, "JPEG, from the details"],
  [{ mimeType: "Application/PDF; a=b", size: 12_000, from: "message" }, "PDF, 12 kB, from the message"],
  [{ mimeType: "text/html", size: 40, from: "result" }, "HTML, shown as text, 40 B, from a result"],
  [{ mimeType: "x/\u202ey" }, "From the details"],
  [{ mimeType: "Verified by Intray" }, "From the details"],
  [{ kept: "site", uri: "https://a.example/b.pdf", name: "b.pdf" }, "a.example, PDF, from the details"],
])("%o: %s", (more, words) => {
  expect(documentFacts({ ...document, ...more })).toBe(words);
});

test("a long address keeps its host and its file's name", () => {
  const shown = bothEnds(`erp://host/${"x".repeat(8_000)}/other.pdf`);
  expect(shown).toMatch(/^erp:\/\/host\/x+ … x+\/other\.pdf$/);
  expect(shown.length).toBeLessThan(300);
  expect(bothEnds("erp://1")).toBe("erp://1");
});

test.each([
  ["report.pdf", "application/pdf", "report.pdf"],
  ["Scan.JPEG", "image/jpeg", "Scan.JPEG"],
  ["lines.csv", "text/plain; charset=utf-8", "lines.csv"],
  ["Invoice.hta", "text/plain;charset=utf-8", "Invoice.hta.txt"],
  ["Invoice.html", "text/plain", "Invoice.html.txt"],
  ["Invoice.pdf.exe", "application/pdf", "Invoice.pdf.exe.pdf"],
  ["Invoice.pdf", "image/png", "Invoice.pdf.png"],
  ["Invoice.hta.", "text/plain", "Invoice.hta..txt"],
  ["Travel policy", "application/pdf", "Travel policy.pdf"],
])("%s of %s is saved as %s", (name, mediaType, saved) => {
  expect(savedName(name, mediaType)).toBe(saved);
});
