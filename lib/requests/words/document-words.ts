import { urlParts } from "../../text/foreign/address.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import { capitalise, shorten } from "../../text/labels.ts";
import { formatBytes } from "../../text/media.ts";
import type { RequestDocument } from "../documents/document-schema.ts";

const SOURCES: Record<RequestDocument["from"], string> = {
  arguments: "from the details",
  message: "from the message",
  result: "from a result",
};
const KINDS: Record<string, string> = {
  "application/pdf": "PDF",
  "application/json": "JSON",
  "text/plain": "Text",
  "text/markdown": "Markdown",
  "text/csv": "CSV",
  "text/html": "HTML, shown as text",
  "image/svg+xml": "SVG, shown as text",
};

const ENDINGS: Record<string, string> = {
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** A server may claim any words. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** The claimed type, else that of the name's ending; null if neither says anything. Only for words and icons. */
export function likelyType({ mimeType, name }: Pick<RequestDocument, "mimeType" | "name">): string | null {
  const claim = mimeType?.split(";")[0]?.trim().toLowerCase();
  return (
    (claim && MEDIA_TYPE.test(claim) ? claim : "") ||
    (ENDINGS[/\.(\w{2,5})$/.exec(name)?.[1]?.toLowerCase() ?? ""] ?? null)
  );
}

/** Endings that say what the bytes are. Any other would let a text be opened as a program: `Invoice.hta`. */
const ENDINGS_OF: Record<string, string[]> = {
  "application/pdf": ["pdf"],
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "text/plain": ["txt", "csv", "md", "json"],
};

/** A media type is a foreign text, and may be `constructor`. */
const own = <T>(record: Record<string, T>, key: string) =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** The name of a document that is saved, with an ending of its judged type. */
export function savedName(name: string, mediaType: string): string {
  const endings = own(ENDINGS_OF, mediaType.split(";")[0]!.trim()) ?? ["bin"];
  const ending = /\.(\w{2,5})$/.exec(name)?.[1]?.toLowerCase();
  return ending && endings.includes(ending) ? name : `${name}.${endings[0]}`;
}

/** What is known of a document before it is read: `PDF, 12 kB, from the details`. */
export function documentFacts(document: RequestDocument): string {
  const { size, from, kept, uri } = document;
  const type = likelyType(document);
  const site = kept === "site" && uri !== null ? urlParts(uri)?.host : null;
  const kind = type && (own(KINDS, type) ?? (/^image\/(\w+)$/.exec(type)?.[1]?.toUpperCase() || type));
  const facts = [site, kind && shorten(visibleText(kind), 60), size === null ? null : formatBytes(size)];
  const known = facts.filter(Boolean);
  return known.length > 0 ? [...known, SOURCES[from]].join(", ") : capitalise(SOURCES[from]);
}
