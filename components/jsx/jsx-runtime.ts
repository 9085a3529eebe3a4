/** What JSX compiles to (`jsxImportSource` in tsconfig.json): React's own elements, whose texts can be read. */
import * as react from "react/jsx-runtime";
import { readable } from "./readable.ts";

export { Fragment, type JSX } from "react/jsx-runtime";

export const jsx: typeof react.jsx = (type, props, key) =>
  react.jsx(type, readable(type, props as object), key);
export const jsxs: typeof react.jsxs = (type, props, key) =>
  react.jsxs(type, readable(type, props as object), key);
