import { humanise } from "@/lib/text/labels.ts";
import type { Path } from "./judge-arguments.ts";

/** The prefix that the form library puts before a field's id. */
export const ID_PREFIX = "argument";
export const ID_SEPARATOR = "/";

/** Returns a field's id in the page. Argument names may contain characters that ids and id lists may not. */
export function domId(id: string): string {
  return encodeURI(id).replaceAll("%", "~");
}

export function idOf(path: Path): string {
  return domId([ID_PREFIX, ...path].join(ID_SEPARATOR));
}

/**
 * Parses the API's field names: `lines[0].amount`, or `starts[1].lines[0].amount` in a race. An empty path
 * means the arguments as a whole.
 */
export function toPath(field: string): Path {
  const own = field.replace(/^starts\[\d+\]\.?/, "").replace(/^arguments(\.|$)/, "");
  return own
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((part) => part !== "")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Returns `Lines › 2 › amount`; list positions count from 1. */
export function pathInWords(path: Path): string {
  return path.map((part) => (typeof part === "number" ? part + 1 : part)).join(" › ");
}

/** Returns the name of one list item: `line` for items of `lines`. */
export function itemName(list: Path): string {
  return humanise(String(list.findLast((part) => typeof part === "string") ?? "item"))
    .toLowerCase()
    .replace(/s$/, "");
}
