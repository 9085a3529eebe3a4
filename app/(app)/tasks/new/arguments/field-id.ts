import { humanise } from "@/lib/text/labels.ts";
import type { Path } from "./judge-arguments.ts";

/** The form library's prefix and separator, of which it makes a field's id. */
export const ID_PREFIX = "argument";
export const ID_SEPARATOR = "/";

/** The field's id in the page: names of arguments may hold what ids, and lists of ids, may not. */
export function domId(id: string): string {
  return encodeURI(id).replaceAll("%", "~");
}

export function idOf(path: Path): string {
  return domId([ID_PREFIX, ...path].join(ID_SEPARATOR));
}

/** The API writes `lines[0].amount`, and of a race `starts[1].lines[0].amount`. Empty: the arguments as a whole. */
export function toPath(field: string): Path {
  const own = field.replace(/^starts\[\d+\]\.?/, "").replace(/^arguments(\.|$)/, "");
  return own
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((part) => part !== "")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** `Lines › 2 › amount`: places in lists as people count. */
export function pathInWords(path: Path): string {
  return path.map((part) => (typeof part === "number" ? part + 1 : part)).join(" › ");
}

/** What one item of a list is called: `line` for those of `lines`. */
export function itemName(list: Path): string {
  return humanise(String(list.findLast((part) => typeof part === "string") ?? "item"))
    .toLowerCase()
    .replace(/s$/, "");
}
