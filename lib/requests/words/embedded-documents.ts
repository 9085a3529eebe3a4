/** Documents that a call sends itself. Apart from document-words.ts, so that a page of a request without documents loads none of its words. */
import { isRecord } from "../../text/json.ts";
import type { RequestDocument } from "../documents/document-schema.ts";

/** The text of a document that the arguments hold as a text, by what the tool reads; null: they hold none at its place. */
export function textInArguments(
  args: Record<string, unknown>,
  { from, kept, path }: Pick<RequestDocument, "from" | "kept" | "path">,
): string | null {
  if (from !== "arguments" || kept !== "here" || path === null) return null;
  const value = path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, part) => (isInside(at, part) ? at[part] : undefined), args);
  if (typeof value === "string") return path.endsWith("/resource/text") ? value : null;
  if (!isRecord(value)) return null;
  const { text } = isRecord(value.resource) ? value.resource : value;
  return typeof text === "string" && text !== "" ? text : null;
}

function isInside(value: unknown, name: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}

/** Whether a document is a part of the call that nobody reads in the details: an image, or bytes. */
export function isUnreadPart(args: Record<string, unknown>, document: RequestDocument): boolean {
  const isPart = document.from === "arguments" && document.kept === "here";
  return isPart && textInArguments(args, document) === null;
}
