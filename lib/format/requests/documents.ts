import type { RequestDocument } from "../../input-requests/documents/schema.ts";
import { shorten } from "../../text/labels.ts";
import { formatBytes } from "../../text/media.ts";
import { visibleText } from "../../text/message-tokens.ts";
import { urlParts } from "../../text/url-parts.ts";

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

/** What is known of a document before it is read: `PDF, 12 kB, from the details`. */
export function documentFacts({ mimeType, size, from, kept, uri }: RequestDocument): string {
  const type = mimeType?.split(";")[0]?.trim().toLowerCase() ?? null;
  const site = kept === "site" && uri !== null ? urlParts(uri)?.host : null;
  const kind = type && (KINDS[type] ?? (/^image\/(\w+)$/.exec(type)?.[1]?.toUpperCase() || type));
  const facts = [site, kind && shorten(visibleText(kind), 60), size === null ? null : formatBytes(size)];
  const known = facts.filter(Boolean).join(", ");
  return known ? `${known}, ${SOURCES[from]}` : `${SOURCES[from].replace(/^f/, "F")}`;
}
