/** Text of tenants and servers in mails: it adds no header, no markup and no link of its own. */
import { splitHidden } from "../../text/foreign/hidden.ts";

const NAME_CHARACTERS = 120;

/** Names are untrusted: reduces them to a line of so many characters. */
export function shorten(name: string): string {
  const line = oneLine(name);
  return line.length > NAME_CHARACTERS ? `${line.slice(0, NAME_CHARACTERS)}…` : line;
}

/** One line, without characters that turn or hide text, and without text that mail programs turn into links. */
export function oneLine(text: string): string {
  const seen = splitHidden(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")).filter(
    ({ kind }) => kind !== "hidden",
  );
  return seen
    .map((run) => run.text)
    .join("")
    .replaceAll("://", ": //")
    .replaceAll(/\bwww\./gi, "www .");
}

/** For the HTML part of a mail. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
