/** Judges what a document really is, by its bytes. Browsers get a few types that they only draw. Pure. */
import { DOCUMENT_BYTES } from "../../mcp/limits.ts";
import { formatBytes } from "../../text/media.ts";

const TEXT_TYPE = "text/plain; charset=utf-8";

export type JudgedContent =
  | { mediaType: string; bytes: Buffer }
  | { refused: "too_large" | "not_shown"; why: string };

/** Of types that are drawn, the first bytes. SVG, HTML and XML are text. */
const SIGNATURES: [mediaType: string, matches: (bytes: Buffer) => boolean][] = [
  ["application/pdf", (bytes) => startsWith(bytes, "%PDF-")],
  ["image/png", (bytes) => startsWith(bytes, "\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (bytes) => startsWith(bytes, "\xff\xd8\xff")],
  ["image/gif", (bytes) => startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")],
  ["image/webp", (bytes) => startsWith(bytes, "RIFF") && startsWith(bytes.subarray(8), "WEBP")],
];
const DRAWN = new Set(SIGNATURES.map(([mediaType]) => mediaType));

/** `blob` is Base64. A claim to be an image or a PDF has to be true; any other claim is not believed. */
export function judgeContent(document: {
  mimeType: string | null;
  text: string | null;
  blob: string | null;
}): JudgedContent {
  const bytes = bytesOf(document);
  if (bytes === null)
    return { refused: "not_shown", why: "This document is damaged: its data can’t be read." };
  if (bytes.length > DOCUMENT_BYTES) return TOO_LARGE;
  const claim = document.mimeType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const drawn = document.text === null && SIGNATURES.find(([, matches]) => matches(bytes))?.[0];
  if (DRAWN.has(claim) && drawn !== claim)
    return {
      refused: "not_shown",
      why: `This document says it is ${NAMES[claim]}, but it is not. It is not shown.`,
    };
  if (drawn) return { mediaType: drawn, bytes };
  if (document.text === null && !isText(bytes))
    return {
      refused: "not_shown",
      why: "This document is not shown: Intray shows text, PDF and images (PNG, JPEG, GIF, WebP).",
    };
  return { mediaType: TEXT_TYPE, bytes };
}

export const TOO_LARGE = {
  refused: "too_large",
  why: `This document is larger than ${formatBytes(DOCUMENT_BYTES).replace(".0", "")}. It is not shown.`,
} as const;

const NAMES: Record<string, string> = {
  "application/pdf": "a PDF",
  "image/png": "a PNG image",
  "image/jpeg": "a JPEG image",
  "image/gif": "a GIF image",
  "image/webp": "a WebP image",
};

function bytesOf({ text, blob }: { text: string | null; blob: string | null }): Buffer | null {
  if (text !== null) return Buffer.from(text);
  return blob === null ? null : fromBase64(blob);
}

/** Returns null for damaged data. Servers may break its lines: Node's decoder passes over blanks. */
function fromBase64(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/\s]*={0,2}$/.test(text.trimEnd())) return null;
  let characters = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > SPACE) characters++;
  const bytes = Buffer.from(text, "base64");
  return characters === Math.ceil(bytes.length / 3) * 4 ? bytes : null;
}

const SPACE = 32;

function startsWith(bytes: Buffer, signature: string): boolean {
  return bytes.subarray(0, signature.length).equals(Buffer.from(signature, "latin1"));
}

function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false; // not UTF-8
  }
}
