/** What a tool's result says, in a few words. Pure, client-safe. */
import { isRecord } from "../text/json.ts";
import { humanise, plural } from "../text/labels.ts";
import { parseJsonText } from "./words/result.ts";

/**
 * A tool's result in a few words. Untrusted text. Structured content that names a status counts before the text, and a text
 * before the fields of structured content. A text that is JSON counts as its fields. A short last part after a colon stands
 * for the whole ("Invoice processing result: PAID" is `PAID`).
 */
export function outcomeOf(result: unknown): { outcome: string | null; isError: boolean } {
  if (!isRecord(result)) return { outcome: null, isError: false };
  const isError = result.isError === true;
  const structured = result.structuredContent ?? null;
  const blocks = Array.isArray(result.content) ? result.content : [];
  const block = blocks.find(
    (each): each is { text: string } => isRecord(each) && typeof each.text === "string",
  );
  const text = block?.text.trim() ?? "";
  const json = text.length <= MOST_READ ? parseJsonText(text) : null;
  const outcome =
    statusIn(structured) ??
    statusIn(json) ??
    (json === null ? inWords(text) : null) ??
    fieldsIn(structured ?? json) ??
    withoutText(blocks.filter(isRecord));
  return { outcome, isError };
}

/** A longer text is not read as JSON: its beginning stands for it. */
const MOST_READ = 100_000;
const MOST_FIELDS = 3;
const MOST_CHARACTERS = 60;

/** The status that an object names, such as `PAID`. */
function statusIn(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const named = ["outcome", "status", "state"].map((key) => value[key]);
  return named.map(shortText).find((status) => status !== null) ?? null;
}

function inWords(text: string): string | null {
  const line = text.split("\n")[0]?.trim() ?? "";
  const afterColon = /^[^:]{1,80}:\s+(\S.{0,39})$/.exec(line)?.[1];
  return afterColon ?? (line.length > 200 ? `${line.slice(0, 199)}…` : line || null);
}

/** The first fields of an object (`Total: 12 · Paid: yes`), or how many entries a list has. */
function fieldsIn(value: unknown): string | null {
  if (Array.isArray(value)) return plural(value.length, "entry", "entries");
  if (!isRecord(value)) return shortText(value);
  const fields: string[] = [];
  for (const [name, each] of Object.entries(value)) {
    const said = typeof each === "boolean" ? (each ? "yes" : "no") : shortText(each);
    if (said !== null) fields.push(`${humanise(name.slice(0, MOST_CHARACTERS))}: ${said}`);
    if (fields.length === MOST_FIELDS) break;
  }
  return fields.join(" · ") || null;
}

function shortText(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return text !== "" && text.length <= MOST_CHARACTERS && !text.includes("\n") ? text : null;
}

/** The words for a result without text: `Report.pdf`, `2 images`. */
function withoutText(blocks: Record<string, unknown>[]): string | null {
  const named = blocks.flatMap((block) => {
    const { title, name, uri } = isRecord(block.resource) ? block.resource : block;
    const found = [title, name, uri].find((text) => typeof text === "string" && text.trim() !== "");
    return typeof found === "string" ? [found.trim().slice(0, 200)] : [];
  });
  const counted = [
    ["image", "image", "images"],
    ["audio", "recording", "recordings"],
  ].flatMap(([type, one, many]) => {
    const count = blocks.filter((block) => block.type === type).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const more = named.length > 1 ? [`${named.length - 1} more`] : [];
  return [...named.slice(0, 1), ...more, ...counted].join(", ") || null;
}
