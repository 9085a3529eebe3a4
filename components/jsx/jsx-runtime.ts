/** What JSX compiles to (`jsxImportSource` in tsconfig.json): React's own elements, whose texts can be read. */
import * as react from "react/jsx-runtime";
import { visibleText } from "@/lib/text/foreign/hidden.ts";

export { Fragment, type JSX } from "react/jsx-runtime";

export const jsx: typeof react.jsx = (type, props, key) =>
  react.jsx(type, readable(type, props as object), key);
export const jsxs: typeof react.jsxs = (type, props, key) =>
  react.jsxs(type, readable(type, props as object), key);

type Props = Record<string, unknown>;

/** Attributes that are read out, of every element: libraries hand them on. */
const SPOKEN = [
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "aria-valuetext",
  "aria-placeholder",
  "aria-braillelabel",
];
/** Attributes of HTML that are read. A component's property of such a name may be more than a text. */
const READ = ["title", "alt", "placeholder", "label"];
/** Elements whose text stays exact: code, and what a person types. */
const NOT_READ = new Set<unknown>(["script", "style", "textarea"]);

/**
 * Marks hidden characters in whatever an element shows, so that no text of a server, an agent or a member can read as
 * something else, whichever component shows it. Leaves `value` and `href` alone, which are sent or followed exactly.
 */
export function readable(type: unknown, props: object): Props {
  const given = props as Props;
  if (NOT_READ.has(type)) return given;
  const changed: Props = {};
  for (const name of ["children", ...SPOKEN, ...(typeof type === "string" ? READ : [])]) {
    const shown = marked(given[name]);
    if (shown !== given[name]) changed[name] = shown;
  }
  return Object.keys(changed).length > 0 ? { ...given, ...changed } : given;
}

/** Returns the same array if nothing changed, since React treats a new array as a new list. */
export function marked(node: unknown): unknown {
  if (typeof node === "string") return visibleText(node);
  if (!Array.isArray(node)) return node;
  const nodes = node.map(marked);
  return nodes.some((each, at) => each !== node[at]) ? nodes : node;
}
