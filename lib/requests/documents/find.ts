/**
 * Finds the documents that a request brings along, in the arguments of its call, in its message and in results.
 * Pure. docs/decisions/031-documents-beside-a-decision.md says what counts.
 */
import { z } from "zod";
import { URL_CHARACTERS } from "../../mcp/limits.ts";
import { readAddress } from "../../text/foreign/address.ts";
import { ADDRESS_CHARACTERS } from "../../text/labels.ts";
import { byteLength } from "../../text/media.ts";
import { trimEndOf } from "../../text/trim-end.ts";
import type { RequestDocument } from "./document-schema.ts";

/** Documents of one request; the others are left out. */
export const MOST_DOCUMENTS = 20;
/** Values that are looked at of all that a request has: its arguments, its result and those of other tasks. */
const MOST_VALUES = 20_000;
/** Other values that could be read in the time of one address. */
const SITE_VALUES = 49;
const NAME_CHARACTERS = 200;
const DESCRIPTION_CHARACTERS = 300;
/** Longer paths, to values nested ever deeper, are not told. */
const PATH_CHARACTERS = 500;

export interface FoundDocument extends Omit<RequestDocument, "id" | "server"> {
  /** Tells the document from the others of its source. */
  key: string;
  /** The document itself, if it is embedded. `blob` is Base64. */
  embedded: { mimeType: string | null; text: string | null; blob: string | null } | null;
}

/** How many values may still be looked at. */
export interface Budget {
  values: number;
}

export function newBudget(): Budget {
  return { values: MOST_VALUES };
}

/** `servesResources`: the server declares resources, or is not known not to. */
export interface Source {
  servesResources: boolean;
}

/** Documents of a call's arguments: embedded ones, links, and texts that are nothing but a resource's address. */
export function documentsOfArguments(args: unknown, source: Source, budget = newBudget()): FoundDocument[] {
  return walk(args, "arguments", budget, (text, key) => {
    const isAddress = source.servesResources && isResourceAddress(text);
    if (isAddress) return asLink("arguments", text);
    if (!isDocumentKey(key) || !isLikeSite(text)) return null;
    budget.values -= SITE_VALUES;
    return isSite(text) ? asLink("arguments", text) : null;
  });
}

/** Documents of a result: embedded ones and links. Its texts are the tool's words, not addresses. */
export function documentsOfResult(result: unknown, budget = newBudget()): FoundDocument[] {
  return walk(result, "result", budget, () => null);
}

/** Addresses of the server's resources in a message; sites are not among them. */
export function documentsOfMessage(message: string, source: Source): FoundDocument[] {
  if (!source.servesResources) return [];
  return [...message.matchAll(ADDRESS_IN_TEXT)]
    .map(([address]) => trimEndOf(address, ".,;:!?)]}"))
    .filter(isResourceAddress)
    .map((address) => asLink("message", address));
}

/** Drops documents that came before, and what is beyond the limit. */
export function distinct<T extends FoundDocument>(found: T[]): T[] {
  const keys = new Set<string>();
  return found.filter(({ key }) => !keys.has(key) && keys.add(key)).slice(0, MOST_DOCUMENTS);
}

/** Ids in arguments, which may be those of tasks. */
export function idsIn(args: unknown): string[] {
  const found = JSON.stringify(args ?? null).match(UUID) ?? [];
  return [...new Set(found.map((id) => id.toLowerCase()))];
}

const UUID = /(?<=")[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=")/gi;
const ADDRESS_IN_TEXT = /(?<![\w.+-])[a-z][a-z\d+.-]{1,30}:\/\/[^\s<>"'`]+/gi;
const DOCUMENT_KEY = /^(.*_)?(document|attachment|file|receipt|invoice|contract|scan|pdf)_(uri|url|link)$/;
/** Schemes whose addresses are no documents of a server, but places, programs and code. */
const NO_DOCUMENT =
  /^(https?|wss?|ftp|mailto|tel|sms|data|javascript|vbscript|blob|about|chrome|view-source|urn|postgres(ql)?|mysql|mongodb|redis|amqp|ssh|git|smtp|ldap|jdbc):/i;

/** A longer name is none of a document: it would be read anew for each text of a list. */
function isDocumentKey(key: string): boolean {
  return key.length <= NAME_CHARACTERS && DOCUMENT_KEY.test(snake(key));
}

function isResourceAddress(text: string): boolean {
  return (
    text.length <= URL_CHARACTERS && /^[a-z][a-z\d+.-]{1,30}:\/\/\S+$/i.test(text) && !NO_DOCUMENT.test(text)
  );
}

function isSite(text: string): boolean {
  return isLikeSite(text) && readAddress(text) !== null;
}

function isLikeSite(text: string): boolean {
  return text.length <= URL_CHARACTERS && /^https?:\/\/\S+$/i.test(text);
}

const words = z.string().nullish().catch(null);
const linkSchema = z.object({
  type: z.literal("resource_link"),
  uri: z.string().min(1).max(URL_CHARACTERS),
  name: words,
  title: words,
  description: words,
  mimeType: words,
  size: z.number().nonnegative().nullish().catch(null),
});
const resourceSchema = z.object({
  type: z.literal("resource"),
  resource: z.object({
    uri: z.string().max(URL_CHARACTERS).nullish().catch(null),
    mimeType: words,
    text: words,
    blob: words,
  }),
});
const imageSchema = z.object({ type: z.literal("image"), data: z.string(), mimeType: words });

/** Walks JSON in its own order, without recursion: arguments may be nested deeply. */
function walk(
  root: unknown,
  from: "arguments" | "result",
  budget: Budget,
  readText: (text: string, key: string) => FoundDocument | null,
): FoundDocument[] {
  const found: FoundDocument[] = [];
  const left: { value: unknown; key: string; path: string }[] = [{ value: root, key: "", path: "" }];
  for (; budget.values > 0 && left.length > 0 && found.length < MOST_DOCUMENTS; budget.values--) {
    const { value, key, path } = left.pop()!;
    if (typeof value === "string") {
      const document = readText(value, key);
      if (document) found.push({ ...document, path: isLong("uri", value) ? null : told(path) });
    } else if (typeof value === "object" && value !== null) {
      const document = readObject(value, from, path);
      if (document) found.push(document);
      const names = Object.keys(value).slice(0, Math.max(0, budget.values - left.length));
      for (const name of names.toReversed()) {
        if (document && KNOWN.has(name)) continue;
        const each = (value as Record<string, unknown>)[name];
        left.push({
          value: each,
          key: Array.isArray(value) ? key : name,
          path: `${path}/${pointerPart(name)}`,
        });
      }
    }
  }
  return found;
}

type Reader = (value: object, from: "arguments" | "result", path: string) => FoundDocument | null;

function readObject(value: object, from: "arguments" | "result", path: string): FoundDocument | null {
  // First, since most objects are no documents, and a schema takes long to refuse one.
  switch ((value as { type?: unknown }).type) {
    case "resource_link":
      return readLink(value, from, path);
    case "resource":
      return readResource(value, from, path);
    case "image":
      return readImage(value, from, path);
    default:
      return null;
  }
}

const readLink: Reader = (value, from, path) => {
  const link = linkSchema.safeParse(value).data;
  if (!link) return null;
  return {
    ...asLink(from, link.uri),
    ...claimed(link, link.uri),
    size: link.size ?? null,
    path: isShown(value, link) && !(link.name && link.title) ? told(path) : null,
  };
};

const readResource: Reader = (value, from, path) => {
  const resource = resourceSchema.safeParse(value).data?.resource;
  if (!resource?.text && !resource?.blob) return null;
  const { text = null, blob = null, mimeType = null } = resource;
  const uri = resource.uri || null;
  const inner = isShown((value as { resource: object }).resource, {
    ...resource,
    ...(text && { blob: null }),
  });
  const content = inner ? "/resource" : text ? "/resource/text" : "/resource/blob";
  const shown = path && inner && isShown(value, { type: "resource" }, "resource") ? path : path + content;
  return { ...asEmbedded(from, path, uri, { mimeType, text, blob }), path: told(shown) };
};

const readImage: Reader = (value, from, path) => {
  const image = imageSchema.safeParse(value).data;
  if (!image) return null;
  return {
    ...asEmbedded(from, path, null, { mimeType: image.mimeType ?? null, text: null, blob: image.data }),
    path: told(path && isShown(value, image) ? path : `${path}/data`),
  };
};

/** The names of a document's own parts. */
const KNOWN = new Set([
  "type",
  "uri",
  "name",
  "title",
  "description",
  "mimeType",
  "size",
  "resource",
  "data",
]);

/**
 * Whether all that an object holds stands beside its document, so that it may be left out of the details: a name
 * that no document has, or a value that is not what was read, may be what the decision is about.
 */
function isShown(value: object, read: Record<string, unknown>, also?: string): boolean {
  if (Object.keys(value).length > MOST_PARTS) return false;
  return Object.entries(value).every(
    ([name, each]) =>
      name === also ||
      (each === null && (KNOWN.has(name) || NOT_TOLD.has(name))) ||
      (Object.hasOwn(read, name) && read[name] === each && !isLong(name, each)),
  );
}

/** More parts than any document has. */
const MOST_PARTS = 50;

/** Parts whose absence says nothing. */
const NOT_TOLD = new Set(["text", "blob", "annotations", "_meta"]);

/** Longer words are cut where they are shown. */
const MOST_CHARACTERS = new Map([
  ["name", NAME_CHARACTERS],
  ["title", NAME_CHARACTERS],
  ["description", DESCRIPTION_CHARACTERS],
  ["mimeType", 60],
  ["uri", ADDRESS_CHARACTERS],
]);

/** Whether a part is not shown whole; of a media type, its parameters are not. */
function isLong(name: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  return (
    value.length > (MOST_CHARACTERS.get(name) ?? Number.POSITIVE_INFINITY) ||
    (name === "mimeType" && value.includes(";"))
  );
}

/** Null for the root, to never point to the whole call, and for a path that is too long. */
function told(path: string): string | null {
  return path === "" || path.length > PATH_CHARACTERS ? null : path;
}

/** A name in a JSON pointer (RFC 6901). */
function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function asLink(from: RequestDocument["from"], uri: string): FoundDocument {
  return {
    key: `link ${uri}`,
    ...claimed({}, uri),
    uri,
    size: null,
    from,
    path: null,
    kept: isSite(uri) ? "site" : "server",
    embedded: null,
  };
}

function asEmbedded(
  from: RequestDocument["from"],
  path: string,
  uri: string | null,
  embedded: NonNullable<FoundDocument["embedded"]>,
): FoundDocument {
  const { mimeType, text, blob } = embedded;
  return {
    key: `embedded ${from}${path}`,
    ...claimed({ mimeType }, uri),
    uri,
    size: text === null ? byteLength(blob ?? "") : Buffer.byteLength(text),
    from,
    path: null,
    kept: "here",
    embedded,
  };
}

function claimed(
  link: Partial<Pick<z.infer<typeof linkSchema>, "name" | "title" | "description" | "mimeType">>,
  uri: string | null,
): Pick<FoundDocument, "name" | "description" | "mimeType"> {
  return {
    name: (link.title || link.name || (uri && endOf(uri)) || "Document").slice(0, NAME_CHARACTERS),
    description: link.description?.slice(0, DESCRIPTION_CHARACTERS) || null,
    mimeType: link.mimeType?.slice(0, NAME_CHARACTERS) || null,
  };
}

/** The file's name in an address: `INV-100.pdf` of `erp://invoices/INV-100.pdf`; else the whole address. */
function endOf(uri: string): string {
  const [path = ""] = uri.split(/[?#]/, 1);
  const end = trimEndOf(path, "/").split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(end) || uri;
  } catch {
    return end; // not percent-encoded, as many servers' addresses are not
  }
}

function snake(key: string): string {
  return key
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}
